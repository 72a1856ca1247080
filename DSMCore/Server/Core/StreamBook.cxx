// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/StreamBook.h"

#include "Base/FileName.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace dsm
{

namespace
{
// What tells a stream: the last name without its numbers, and where that has none also the folder.
struct StreamParts
{
  std::string Last;
  std::string Folder;

  explicit StreamParts(const std::string& fileName)
    : Last(std::filesystem::path(StreamName(fileName)).filename().string())
    , Folder(std::filesystem::path(fileName).parent_path().string())
  {
    if (this->Last.find('#') == std::string::npos)
    {
      this->Folder = WithoutNumbers(this->Folder);
    }
  }
};
}

StreamBook::Place StreamBook::Enter(
  const std::string& fileName, const Writer& writer, const IsPresent& isPresent, bool again)
{
  const StreamParts parts(fileName);
  const auto found = this->Find(parts.Last, parts.Folder, writer, isPresent);
  auto place = this->Known.erase(found, found); // nothing; the same place, to be changed
  if (found == this->Known.end())
  {
    const std::string called = this->NewName(parts.Last, parts.Folder);
    this->Names.insert(called);
    place = this->Known.insert({ parts.Last, { called, {} } });
  }
  auto& [name, stream] = place->second;
  if (!this->Runs.contains(writer.Identity))
  {
    const std::uint64_t run = this->GoesOn(stream, fileName, writer, isPresent)
      ? this->Runs.at(stream.Last.Identity)
      : ++this->LastRun;
    this->Runs[writer.Identity] = run;
    this->Forget(isPresent);
  }
  if (stream.Last.Identity != writer.Identity)
  {
    stream.Files = 0;
  }
  stream.Folder = parts.Folder;
  stream.Last = writer;
  stream.Files += again ? 0 : 1;
  stream.Step = StepFromName(fileName).value_or(stream.Step);
  return { name, this->Runs.at(writer.Identity) };
}

std::string StreamBook::StreamOf(
  const std::string& fileName, const Writer& writer, const IsPresent& isPresent) const
{
  const StreamParts parts(fileName);
  const auto found = this->Find(parts.Last, parts.Folder, writer, isPresent);
  return found == this->Known.end() ? this->NewName(parts.Last, parts.Folder) : found->second.first;
}

std::uint64_t StreamBook::RunOf(const std::string& identity) const
{
  const auto found = this->Runs.find(identity);
  return found == this->Runs.end() ? 0 : found->second;
}

// The stream in that folder; else one that was written elsewhere, by somebody who has gone; else
// there is none yet.
StreamBook::Streams::const_iterator StreamBook::Find(const std::string& last,
  const std::string& folder, const Writer& writer, const IsPresent& isPresent) const
{
  const auto [begin, end] = this->Known.equal_range(last);
  const auto same =
    std::find_if(begin, end, [&](const auto& one) { return one.second.second.Folder == folder; });
  if (same != end)
  {
    return same;
  }
  const auto left = std::find_if(begin, end,
    [&](const auto& one)
    {
      const std::string& other = one.second.second.Last.Identity;
      return other != writer.Identity && !isPresent(other);
    });
  return left != end ? left : this->Known.end();
}

// What a new stream is called.
std::string StreamBook::NewName(const std::string& last, const std::string& folder) const
{
  std::string name = last;
  for (std::filesystem::path above = folder; this->Names.contains(name) && above.has_filename();
    above = above.parent_path())
  {
    name.insert(0, above.filename().string() + "/");
  }
  return name;
}

bool StreamBook::GoesOn(const Stream& stream, const std::string& fileName, const Writer& writer,
  const IsPresent& isPresent) const
{
  if (!this->Runs.contains(stream.Last.Identity) || stream.Last.Program != writer.Program)
  {
    return false;
  }
  if (isPresent(stream.Last.Identity))
  {
    return true; // processes of a job that has no name
  }
  const auto step = StepFromName(fileName);
  return step ? *step > stream.Step : stream.Files == 1;
}

// Without writers that have gone and that nobody will go on for.
void StreamBook::Forget(const IsPresent& isPresent)
{
  std::set<std::string> last;
  for (const auto& [key, stream] : this->Known)
  {
    last.insert(stream.second.Last.Identity);
  }
  std::erase_if(this->Runs, [&](const auto& run)
    { return run.second != this->LastRun && !last.contains(run.first) && !isPresent(run.first); });
}

bool NamesStream(const std::string& pattern, const std::string& stream, std::uint64_t run)
{
  return !stream.empty() && (pattern == stream || pattern == fmt::format("{}@{}", stream, run));
}

bool FitsStream(const std::string& pattern, const std::string& fileName, const std::string& stream,
  std::uint64_t run)
{
  return pattern.empty() || NamesStream(pattern, stream, run) || MatchesPattern(pattern, fileName);
}

}
