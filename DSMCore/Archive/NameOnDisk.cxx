// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/NameOnDisk.h"

#include "Base/Clock.h"
#include "Base/Error.h"
#include "Base/FileIdentity.h"
#include "Base/NodeIdentity.h"
#include "Base/RenameToFree.h"
#include "Protocol/PlaceholderContents.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

namespace dsm
{

namespace
{
namespace fs = std::filesystem;

constexpr int MostLooks = 10;
constexpr std::chrono::milliseconds BetweenLooks(5);

// The file that a name stands for, which is replaced: not a link to it.
std::string Target(const std::string& name)
{
  std::error_code none;
  const auto path = fs::canonical(name, none);
  return none ? name : path.string();
}

int Open(const std::string& path)
{
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

// A simulation writes into its placeholder once the file is a snapshot, just when this looks. One
// that is never to be understood is another version's.
std::optional<PlaceholderContents> ReadCalmly(int file, const std::string& path)
{
  for (int looks = 0; looks < MostLooks; ++looks)
  {
    try
    {
      return PlaceholderContents::Read(file, path);
    }
    catch (const Error&)
    {
      std::this_thread::sleep_for(BetweenLooks);
    }
  }
  return std::nullopt;
}

double InSeconds(const FileMark& mark)
{
  return static_cast<double>(mark.Changed) * 1e-9;
}

// Returns true if a file takes little room on disk, however long it seems to be.
bool TakesLittleRoom(const std::string& path)
{
  constexpr std::uint64_t BlockSize = 512;
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 &&
    static_cast<std::uint64_t>(status.st_blocks) * BlockSize <= PlaceholderContents::LongestFile;
}
}

NameOnDisk::NameOnDisk(const SnapshotDescription& snapshot, const Known& server)
  : Snapshot(snapshot)
  , Server(server)
{
}

// A placeholder of a newer state of the file is replaced as well: that one is not on disk yet, and
// will take the place in its turn.
NameOnDisk::What NameOnDisk::Judge(int file)
{
  const auto placeholder = ReadCalmly(file, this->Place);
  this->IsOlderState = false;
  this->IsItself = placeholder && placeholder->Address.Server == this->Server.Key &&
    placeholder->Address.Number == this->Snapshot.Number;
  if (placeholder && placeholder->Address.Server == this->Server.Key)
  {
    this->Seen = true;
    return this->Server.FamilyOf(placeholder->Address) == this->Snapshot.Family ? What::Before
                                                                                : What::Other;
  }
  const auto mark = FileMark::Of(file);
  const auto written = mark ? this->Server.WrittenAs(*mark) : std::nullopt;
  if (written)
  {
    this->Seen = true;
    if (written->Family != this->Snapshot.Family)
    {
      return What::Other;
    }
    this->IsOlderState = written->Snapshot < this->Snapshot.Number;
    return this->IsOlderState ? What::Before : What::Behind;
  }
  // The simulation has put it there whole, with a user block that programs have perhaps written
  // since; or somebody has changed or replaced it since it was there.
  if (this->Snapshot.Named &&
    this->Server.WrittenOf(this->Snapshot.Family) >= this->Snapshot.Number)
  {
    return What::Behind;
  }
  // Without placeholders, what is there may be an earlier run's.
  const bool earlier = !this->Snapshot.Named && mark && InSeconds(*mark) < this->Snapshot.SealedAt;
  return earlier ? What::Before : What::Foreign;
}

// False when nothing has that path.
bool NameOnDisk::Take(const std::string& path)
{
  const int file = Open(path);
  const int why = file < 0 ? errno : 0;
  if (why != 0 && why != ENOENT)
  {
    throw Error(Fault::System, "cannot open {} to see what it is: {}", path, SystemText(why));
  }
  this->Place = path;
  this->There = why == 0 ? std::make_unique<FileDescriptor>(file) : nullptr;
  return why == 0;
}

bool NameOnDisk::IsBefore(const std::string& path)
{
  this->Seen = false;
  return this->Take(path) && this->Judge(this->There->Get()) == What::Before && this->Seen;
}

// Searches the folder of the name for a file that was renamed. A placeholder is as long as the file
// itself, or as short as it really is. It takes little room, unless the file system allocates large
// blocks. If no placeholder of this state is there, one of another state is taken, which may be a
// copy; but not if `itself` is true.
bool NameOnDisk::Search(bool itself)
{
  this->Searched = true;
  std::string another;
  std::error_code failed;
  const auto folder = fs::path(this->Snapshot.FileName).parent_path();
  for (const auto& entry : fs::directory_iterator(folder, failed))
  {
    const auto mark = FileMark::Of(entry.path().string());
    const bool may = mark &&
      (mark->Size == this->Snapshot.FileSize || mark->Size <= PlaceholderContents::LongestFile ||
        this->Server.WrittenAs(*mark) || TakesLittleRoom(entry.path().string()));
    if (!may || !this->IsBefore(entry.path().string()))
    {
      continue;
    }
    if (this->IsItself)
    {
      return true;
    }
    another = another.empty() ? entry.path().string() : another;
  }
  if (!itself && !another.empty() && this->IsBefore(another))
  {
    return true;
  }
  this->There.reset();
  return false;
}

bool NameOnDisk::FindCopy()
{
  return this->Searched && this->Search(true);
}

bool NameOnDisk::Find()
{
  this->Reason.clear();
  const std::string target = Target(this->Snapshot.FileName);
  const auto folder = fs::path(target).parent_path();
  struct stat status = {};
  if (stat(folder.c_str(), &status) != 0)
  {
    const int why = errno;
    throw Error(Fault::System,
      "the folder {} is not there on {}: {}. The hosts that share memory must see the file system "
      "that the simulation writes to",
      folder.string(), MachineName(), SystemText(why));
  }
  if (!this->Take(target))
  {
    return !this->Snapshot.Named || this->Search(false);
  }
  switch (this->Judge(this->There->Get()))
  {
    case What::Before:
      return true;
    case What::Behind:
      return false;
    case What::Other:
      return this->Search(false); // else that was renamed to this
    case What::Foreign:
      break;
  }
  this->Reason = fmt::format("snapshot {} is not put on disk as {}: what is there now was not left "
                             "by its simulation, and is not overwritten",
    this->Snapshot.Number, target);
  return false;
}

std::string NameOnDisk::Identity() const
{
  return this->There ? FileIdentity(this->There->Get(), this->Place) : std::string();
}

std::string NameOnDisk::PutAside() const
{
  for (int number = 1; SameFile(this->There->Get(), this->Place); ++number)
  {
    const std::string aside =
      this->Place + ".older" + (number == 1 ? std::string() : fmt::format(".{}", number));
    if (RenameToFree(this->Place, aside))
    {
      return aside;
    }
    if (errno != EEXIST)
    {
      throw Error(
        Fault::System, "cannot rename {} to {}: {}", this->Place, aside, SystemText(errno));
    }
  }
  throw Error(Fault::System, "{} is another file by now", this->Place);
}

bool NameOnDisk::Put(NewFile& file) const
{
  if (!this->There)
  {
    return file.PutAsNew(this->Place);
  }
  return file.PutInPlaceOf(this->There->Get(), this->Place);
}

}
