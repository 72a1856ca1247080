// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Repack/RepackedFile.h"

#include "Archive/PartMark.h"
#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Hdf5Signature.h"
#include "Base/Log.h"
#include "Tools/Repack/MasterFile.h"
#include "Tools/Repack/RepackProcess.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <thread>

namespace dsm::repack
{

namespace
{
namespace fs = std::filesystem;

// How often it is looked whether the time is over.
constexpr int PollMilliseconds = 500;

std::string FolderOf(const std::string& path)
{
  return fs::path(AbsoluteName(path)).parent_path().string();
}

// None where there is no such file, or where it is broken: then they stay.
std::set<std::string> PartsBefore(const std::string& path)
{
  try
  {
    return PartsOf(path);
  }
  catch (const Error& error)
  {
    Log().warn("what is left of the file that was {} stays: {}", path, error.what());
    return {};
  }
}

// Why something may have failed: HDF5 does not say.
std::string RoomLeft(const std::string& folder)
{
  constexpr std::uint64_t little = UINT64_C(8) << 20;
  std::error_code none;
  const fs::space_info disk = fs::space(folder, none);
  return !none && disk.available < little
    ? fmt::format(" ({} are left on the disk there)", environment::FormatBytes(disk.available))
    : std::string();
}
}

RepackedFile::RepackedFile(const std::string& contact, const SnapshotView& snapshot,
  std::string path, std::uint64_t parts, RepackOptions options)
  : Snapshot(snapshot)
  , Source(SnapshotName(contact, snapshot.Description().Number))
  , Path(std::move(path))
  , Options(std::move(options))
{
  this->Files.push_back(std::make_unique<NewFile>(this->Path, snapshot.Description().Access));
  const NewFile& main = *this->Files.front();
  main.Reserve(snapshot.Description().FileSize); // HDF5 gives it back when it begins
  const std::string name = fs::path(this->Path).filename();
  for (std::uint64_t number = 1; number <= parts; ++number)
  {
    this->Parts.push_back(
      fmt::format("{}{}{}_{}_of_{}", name, PartMark, main.Mark().Inode, number, parts));
    this->Files.push_back(
      std::make_unique<NewFile>(this->PathOf(number), snapshot.Description().Access));
  }
}

std::string RepackedFile::PathOf(std::uint64_t part) const
{
  return part == 0 ? this->Path : (fs::path(FolderOf(this->Path)) / this->Parts[part - 1]).string();
}

void RepackedFile::Write(const Deadline& deadline, const std::function<void(std::uint64_t)>& moved)
{
  try
  {
    this->Run(deadline, moved);
    this->CopyUserBlock();
    this->Snapshot.RequireHeld();
  }
  catch (const Error& error)
  {
    throw Error(error.GetFault(), "{} is not written: {}{}", this->Path, error.what(),
      RoomLeft(FolderOf(this->Path)));
  }
}

RepackTask RepackedFile::TaskFor(std::uint64_t part)
{
  RepackTask task;
  task.Source = this->Source;
  task.Output = this->Files[part]->ForOthers(true).Path;
  task.Name = this->PathOf(part);
  task.Options = this->Options;
  task.Parts = this->Parts;
  task.Part = part;
  task.Parent = static_cast<std::uint64_t>(getpid());
  return task;
}

void RepackedFile::Run(const Deadline& deadline, const std::function<void(std::uint64_t)>& moved)
{
  const std::size_t together = std::max(std::thread::hardware_concurrency(), 1U);
  std::vector<std::unique_ptr<RepackProcess>> running;
  for (std::uint64_t next = 0; next < this->Files.size() || !running.empty();)
  {
    while (next < this->Files.size() && running.size() < together)
    {
      running.push_back(std::make_unique<RepackProcess>(this->TaskFor(next++)));
    }
    std::vector<pollfd> readable;
    readable.reserve(running.size());
    for (const auto& process : running)
    {
      readable.push_back({ process->Descriptor(), POLLIN, 0 });
    }
    poll(readable.data(), readable.size(), PollMilliseconds);
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < running.size(); ++i)
    {
      bytes += readable[i].revents != 0 ? running[i]->Read() : 0;
    }
    moved(bytes);
    std::erase_if(running, [](const auto& process) { return process->IsDone(); });
    if (deadline.Expired() && !running.empty())
    {
      throw Error(Fault::TimedOut, "it takes longer than it may (--wait)");
    }
  }
}

void RepackedFile::CopyUserBlock() const
{
  const std::uint64_t size = UserBlockSize(this->Snapshot.Description().FileSize,
    [this](FileOffset address, std::byte* to, std::uint64_t bytes)
    {
      this->Snapshot.Read(address, to, bytes);
    }).value_or(0);
  std::array<std::byte, SmallestUserBlock> block{};
  for (std::uint64_t done = 0; done < size;)
  {
    this->Snapshot.Read(FileOffset(done), block.data(), block.size());
    for (const std::uint64_t end = done + block.size(); done < end;)
    {
      done += this->Files.front()->Write(block.data() + done % block.size(), end - done);
    }
  }
}

void RepackedFile::Finish()
{
  auto before = PartsBefore(this->Path);
  std::vector<std::string> there;
  try
  {
    for (std::uint64_t part = 1; part < this->Files.size(); ++part)
    {
      this->Files[part]->Finish();
      there.push_back(this->PathOf(part));
      before.erase(there.back()); // a file that was copied has a number that may come again
    }
    this->Files.front()->Finish();
  }
  catch (const Error&)
  {
    for (const std::string& path : there)
    {
      unlink(path.c_str());
    }
    throw;
  }
  for (const std::string& path : before)
  {
    unlink(path.c_str());
  }
}

}
