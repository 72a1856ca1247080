// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/StreamBook.h"

#include "Base/FileName.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace dsm
{

namespace
{
constexpr std::size_t MostStreams = 16384;

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

// The end of a number at the beginning of a text, "#" included; 0: there is none.
std::size_t NumberEnd(std::string_view text)
{
  return text.starts_with('#') ? 1 : std::min(text.find_first_not_of("0123456789"), text.size());
}

// Returns whether a file has lost a mark before or behind its name, which said that it is not whole
// yet. Both names have the same numbers.
bool HasLostMark(const NumberedStem& before, const NumberedStem& now)
{
  const std::string& first = before.Between.front();
  const std::string& last = before.Between.back();
  if (now.Numbers.empty())
  {
    return first.starts_with(now.Between.front()) || first.ends_with(now.Between.front());
  }
  NumberedStem marked = now;
  marked.Between.front() = first;
  marked.Between.back() = last;
  return marked.Between == before.Between && first.ends_with(now.Between.front()) &&
    last.starts_with(now.Between.back());
}

// Whether a text is a pattern's, where each '#' stands for a number, with or without a fraction.
bool FitsNumbers(std::string_view pattern, std::string_view text)
{
  while (
    !pattern.empty() && !text.empty() && pattern.front() == text.front() && pattern.front() != '#')
  {
    pattern.remove_prefix(1);
    text.remove_prefix(1);
  }
  if (!pattern.starts_with('#'))
  {
    return pattern.empty() && text.empty();
  }
  const std::size_t whole = NumberEnd(text);
  if (whole == 0)
  {
    return false;
  }
  pattern.remove_prefix(1);
  text.remove_prefix(whole);
  const std::size_t fraction = text.starts_with('.') ? NumberEnd(text.substr(1)) : 0;
  return FitsNumbers(pattern, text) ||
    (fraction > 0 && FitsNumbers(pattern, text.substr(1 + fraction)));
}
}

StreamBook::Place StreamBook::Enter(
  const std::string& fileName, const Writer& writer, const IsPresent& isPresent, bool again)
{
  const StreamParts parts(fileName);
  const auto found = this->Find(parts.Last, parts.Folder, writer, isPresent);
  auto place = this->All.erase(found, found); // nothing; the same place, to be changed
  if (found == this->All.end())
  {
    this->ForgetOldest();
    Stream made;
    made.Prefix = this->NewPrefix(parts.Last, parts.Folder);
    place = this->All.insert({ parts.Last, std::move(made) });
  }
  Stream& stream = place->second;
  bool isNew = false; // the writer
  if (!this->Runs.contains(writer.Identity))
  {
    const bool goesOn = this->GoesOn(stream, fileName, writer, isPresent);
    if (goesOn && !isPresent(stream.Last.Identity))
    {
      stream.Roles.Follow(writer.Process, stream.Last.Process);
    }
    this->Runs[writer.Identity] = goesOn ? this->Runs.at(stream.Last.Identity) : ++this->LastRun;
    isNew = true;
  }
  if (stream.Last.Identity != writer.Identity)
  {
    stream.Files = 0;
  }
  stream.Folder = parts.Folder;
  stream.Last = writer;
  stream.Used = ++this->Entered;
  stream.IsRestored = stream.IsRestored && writer.Restores;
  if (isNew)
  {
    this->Forget(isPresent); // the writer may have been killed since it asked
  }
  stream.Files += again ? 0 : 1;
  Known known = this->Note(place, fileName, writer);
  if (known.Step)
  {
    stream.LastFile = fileName;
  }
  return { std::move(known.Stream), this->Runs.at(writer.Identity), known.Step };
}

StreamBook::Known StreamBook::Note(
  Streams::iterator place, const std::string& fileName, const Writer& writer)
{
  Stream& stream = place->second;
  const NumberedStem numbered(fileName);
  this->Learned += stream.Roles.Note(writer.Process, numbered) ? 1 : 0;
  return this->Name(place, numbered);
}

// Returns as what a file is known whose numbers are those. From now on its stream is found by that
// name.
StreamBook::Known StreamBook::Name(Streams::iterator place, NumberedStem numbered)
{
  Known known = As(place->second, std::move(numbered));
  this->Names.insert_or_assign(known.Stream, place);
  return known;
}

StreamBook::Known StreamBook::As(const Stream& stream, NumberedStem numbered)
{
  if (!stream.Between.empty())
  {
    numbered.Between = stream.Between;
  }
  return { stream.Prefix + stream.Roles.StreamOf(numbered), stream.Roles.StepOf(numbered) };
}

void StreamBook::NoteShown(
  const std::string& fileName, const std::string& stream, const Writer& writer)
{
  if (const auto found = this->Names.find(stream); found != this->Names.end())
  {
    this->Note(found->second, fileName, writer);
  }
}

std::optional<StreamBook::Known> StreamBook::KnownAs(
  const std::string& fileName, const std::string& stream)
{
  const auto found = this->Names.find(stream);
  return found == this->Names.end()
    ? std::nullopt
    : std::optional(this->Name(found->second, NumberedStem(fileName)));
}

StreamBook::Known StreamBook::Rename(const EnteredFile& entered, const std::string& renamed)
{
  const auto found = this->Names.find(entered.Stream);
  const NumberedStem before(entered.FileName);
  const NumberedStem now(renamed);
  if (found == this->Names.end() || now.Numbers != before.Numbers)
  {
    // It has the same folders in its name, which tell it from others.
    const auto folder = std::filesystem::path(entered.Stream).parent_path();
    return { (folder / StreamParts(renamed).Last).string(), StepFromName(renamed) };
  }
  Stream& known = found->second->second;
  if (known.Between != now.Between && HasLostMark(before, now))
  {
    known.Between = now.Between;
    ++this->Learned;
  }
  return known.Between == now.Between
    ? this->Name(found->second, now)
    : Known{ known.Prefix + known.Roles.StreamOf(now), known.Roles.StepOf(now) };
}

std::string StreamBook::StreamOf(
  const std::string& fileName, const Writer& writer, const IsPresent& isPresent) const
{
  const StreamParts parts(fileName);
  const auto found = this->Find(parts.Last, parts.Folder, writer, isPresent);
  return found == this->All.end() ? this->NewPrefix(parts.Last, parts.Folder) + parts.Last
                                  : As(found->second, NumberedStem(fileName)).Stream;
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
  const auto [begin, end] = this->All.equal_range(last);
  const auto isHere = [&](const Stream& stream) { return stream.Folder == folder; };
  const auto isLeft = [&](const Stream& stream)
  { return stream.Last.Identity != writer.Identity && !isPresent(stream.Last.Identity); };
  // The streams of simulations come first, and are not for restored files.
  for (const bool restored : { false, true })
  {
    const auto find = [begin = begin, end = end, restored](const auto& suits)
    {
      return std::find_if(begin, end,
        [&](const auto& one) { return one.second.IsRestored == restored && suits(one.second); });
    };
    if (writer.Restores && !restored)
    {
      continue;
    }
    if (const auto here = find(isHere); here != end)
    {
      return here;
    }
    if (const auto left = find(isLeft); left != end)
    {
      return left;
    }
  }
  return this->All.end();
}

// As many folders before a new stream's name as tell it from the others.
std::string StreamBook::NewPrefix(const std::string& last, const std::string& folder) const
{
  std::string prefix;
  const auto [begin, end] = this->All.equal_range(last);
  const auto isTaken = [&]
  { return std::any_of(begin, end, [&](const auto& one) { return one.second.Prefix == prefix; }); };
  for (std::filesystem::path above = folder; isTaken() && above.has_filename();
    above = above.parent_path())
  {
    prefix.insert(0, above.filename().string() + "/");
  }
  return prefix;
}

bool StreamBook::GoesOn(const Stream& stream, const std::string& fileName, const Writer& writer,
  const IsPresent& isPresent) const
{
  const Writer& last = stream.Last;
  const bool isKnownLaunch = !last.Launch.empty() && !writer.Launch.empty();
  if (!this->Runs.contains(last.Identity) || last.Program != writer.Program ||
    (isKnownLaunch && last.Launch != writer.Launch))
  {
    return false;
  }
  if (isPresent(stream.Last.Identity))
  {
    return true; // processes of a job that has no name
  }
  const auto isLater = [](std::optional<double> step, std::optional<double> last)
  { return step && *step > last.value_or(0); };
  const auto step = stream.Roles.StepOf(NumberedStem(fileName));
  // Which number is the step may not be known yet.
  return isLater(step, stream.Roles.StepOf(NumberedStem(stream.LastFile))) ||
    (!stream.Roles.HasKinds() && isLater(StepFromName(fileName), StepFromName(stream.LastFile))) ||
    (!step && stream.Files == 1);
}

// Without writers that have gone and that nobody will go on for.
void StreamBook::Forget(const IsPresent& isPresent)
{
  std::set<std::string> last;
  for (const auto& [key, stream] : this->All)
  {
    last.insert(stream.Last.Identity);
  }
  std::erase_if(this->Runs, [&](const auto& run)
    { return run.second != this->LastRun && !last.contains(run.first) && !isPresent(run.first); });
}

// Forgets half of the streams at a time. If names differ in more than numbers, each file is another
// stream.
void StreamBook::ForgetOldest()
{
  if (this->All.size() < MostStreams)
  {
    return;
  }
  std::vector<std::uint64_t> uses;
  uses.reserve(this->All.size());
  std::ranges::transform(
    this->All, std::back_inserter(uses), [](const auto& one) { return one.second.Used; });
  const auto middle = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 2);
  std::ranges::nth_element(uses, middle);
  const auto isOld = [first = *middle](const Stream& stream) { return stream.Used < first; };
  std::erase_if(this->Names, [&](const auto& name) { return isOld(name.second->second); });
  std::erase_if(this->All, [&](const auto& one) { return isOld(one.second); });
}

bool NamesAny(const std::string& pattern, const std::string& stream)
{
  return FitsNumbers(pattern, stream);
}

bool NamesStream(const std::string& pattern, const std::string& stream, std::uint64_t run)
{
  if (stream.empty())
  {
    return false;
  }
  const std::string ofRun = fmt::format("@{}", run);
  return NamesAny(pattern, stream) ||
    (pattern.ends_with(ofRun) &&
      NamesAny(pattern.substr(0, pattern.size() - ofRun.size()), stream));
}

bool FitsStream(const std::string& pattern, const std::string& fileName, const std::string& stream,
  std::uint64_t run)
{
  return pattern.empty() || NamesStream(pattern, stream, run) || MatchesPattern(pattern, fileName);
}

}
