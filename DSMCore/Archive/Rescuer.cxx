// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/Rescuer.h"

#include "Archive/ArchivePath.h"
#include "Archive/NewFile.h"
#include "Archive/RescueMessages.h"
#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/FileDescriptor.h"
#include "Base/Log.h"
#include "Memory/Segment.h"
#include "Memory/SegmentLayout.h"
#include "Memory/SlotEnding.h"
#include "Peer/SnapshotFence.h"
#include "Protocol/SnapshotPlaces.h"
#include "Transport/SharedMemory/SharedMemoryTransport.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dsm
{

namespace
{
// How long the memory is kept where the disk does not take a file, and how often that is tried.
constexpr Seconds KeepTrying(600);
constexpr std::chrono::milliseconds BetweenTries(500);

// When a file was changed last, seconds since 1970; none where there is none.
std::optional<double> ChangedAt(const std::string& path)
{
  struct stat state = {};
  if (stat(path.c_str(), &state) != 0)
  {
    return std::nullopt;
  }
  return static_cast<double>(state.st_mtim.tv_sec) +
    static_cast<double>(state.st_mtim.tv_nsec) / 1e9;
}
}

Rescuer::Rescuer(int socket)
  : Socket(socket)
{
}

void Rescuer::Run()
{
  try
  {
    this->Serve();
  }
  catch (const std::exception& error)
  {
    this->OpenLog();
    Log().error("{}", error.what());
    throw;
  }
}

void Rescuer::Serve()
{
  // None: the server has been killed.
  while (const auto message = rescue::Receive(this->Socket))
  {
    if (Is<RescueServer>(*message))
    {
      auto told = Content<RescueServer>(*message);
      this->Folder = std::move(told.Folder);
      this->Map(told.Contact, std::move(told.Server));
    }
    else if (Is<RescueSnapshot>(*message))
    {
      this->Enter(Content<RescueSnapshot>(*message).Snapshot);
    }
    else if (Is<SnapshotSaved>(*message))
    {
      this->Drop(Content<SnapshotSaved>(*message));
    }
    else if (Is<EndRescue>(*message))
    {
      this->SaveAtEnd();
      return;
    }
  }
  this->SaveAfterKill();
}

void Rescuer::Map(const std::string& contact, ServerDescription server)
{
  this->Contact = contact;
  this->Server = std::move(server);
  std::vector<HostIndex> all(this->Server.Hosts.size());
  std::iota(all.begin(), all.end(), HostIndex(0));
  this->Memory = std::make_shared<SharedMemory>(this->Server, all);
}

// What had its slot before has left the ring. One that was told before has other places now; unless
// it is saved, and nobody asks for it.
void Rescuer::Enter(SnapshotDescription snapshot)
{
  if (snapshot.Number <= this->Newest && !this->Unsaved.contains(snapshot.Number))
  {
    return;
  }
  this->Newest = std::max(this->Newest, snapshot.Number);
  std::erase_if(
    this->Unsaved, [&](const auto& known) { return known.second.Slot == snapshot.Slot; });
  // What is on disk can be found as long as the hosts live.
  const DiskShare& disk = snapshot.Map.Disk;
  for (HostIndex host = 0; disk.From > 0 && host < this->Server.Hosts.size(); ++host)
  {
    const SlotIndex slot = snapshot.Shared ? snapshot.Shared->Slot : snapshot.Slot;
    this->Memory->Direct(host, slot * this->Server.SlotSize + disk.Offset);
  }
  const SnapshotId number = snapshot.Number;
  this->Unsaved.insert_or_assign(number, std::move(snapshot));
}

// With it go the older states of a file that is on disk: the server may never have looked at them,
// and the clock of the disk may not tell which is newer.
void Rescuer::Drop(const SnapshotSaved& saved)
{
  const auto found = this->Unsaved.find(saved.Number);
  if (found == this->Unsaved.end())
  {
    return;
  }
  const std::string path = archivepath::PlaceIn(this->Folder, found->second, this->Contact);
  std::erase_if(this->Unsaved,
    [&](const auto& known)
    {
      const bool done = known.first == saved.Number ||
        (saved.OnDisk && known.first < saved.Number &&
          archivepath::PlaceIn(this->Folder, known.second, this->Contact) == path);
      if (done)
      {
        this->Undertake(known.second); // its writer need not write it, if it does not know yet
      }
      return done;
    });
}

// False when its writer writes it to disk.
bool Rescuer::Undertake(const SnapshotDescription& snapshot) const
{
  const SegmentLayout layout(this->Server.SlotSize, this->Server.SlotCount);
  const SlotEnding ending(
    SharedNumber(this->Memory->Shared(0, layout.Endings.OffsetOf(snapshot.Slot))));
  return ending.Undertake(snapshot.Generation, SlotEnding::Kind::Kept) == SlotEnding::Kind::Kept;
}

// Whether its slot is still its own on all hosts.
bool Rescuer::IsThere(const SnapshotDescription& snapshot) const
{
  const SnapshotFence fence(this->Memory, this->Server, snapshot);
  for (HostIndex host = 0; host < this->Server.Hosts.size(); ++host)
  {
    if (!fence.Holds(host))
    {
      return false;
    }
  }
  return fence.IsIntact();
}

void Rescuer::Write(const SnapshotDescription& snapshot, const std::string& path) const
{
  const SnapshotPlaces places(snapshot, this->Server.SlotSize);
  NewFile file(path, snapshot.Access);
  file.Reserve(snapshot.FileSize);
  for (FileOffset address = 0; address < snapshot.FileSize;)
  {
    const auto run = places.At(address);
    const std::byte* source = this->Memory->Direct(run.Host, run.Offset);
    address += file.Write(source, std::min(run.Size, snapshot.FileSize - address));
  }
  if (this->IsThere(snapshot))
  {
    file.Finish();
  }
}

// Empty when there is no more to be done about it; else why it cannot be saved now. Of a file's
// states the newest is the file, in whatever order they can be saved.
std::string Rescuer::Save(const SnapshotDescription& snapshot)
{
  if (!this->IsThere(snapshot) || !this->Undertake(snapshot))
  {
    return {};
  }
  const std::string path = archivepath::PlaceIn(this->Folder, snapshot, this->Contact);
  SnapshotId& saved = this->Saved[path];
  if (saved > snapshot.Number)
  {
    return {};
  }
  try
  {
    if (saved == 0 && ChangedAt(path).value_or(0) > snapshot.SealedAt)
    {
      Log().warn(
        "snapshot {} ({}) needs no saving: {} is newer", snapshot.Number, snapshot.FileName, path);
      return {};
    }
    archivepath::MakeFolderOf(path);
    this->Write(snapshot, path);
    saved = snapshot.Number;
    Log().warn("snapshot {} ({}) is saved as {}", snapshot.Number, snapshot.FileName, path);
    return {};
  }
  catch (const Error& error)
  {
    return error.what();
  }
}

// Hosts that end as they were told to do so after host 0.
bool Rescuer::HasLostHost() const
{
  return std::any_of(this->Server.Hosts.begin(), this->Server.Hosts.end(),
    [](const HostDescription& host) { return !Segment::IsHeld(SegmentOf(host)); });
}

// The server ends, and says itself what is lost. Unless one of its hosts was killed, and the
// launcher ends the others.
void Rescuer::SaveAtEnd()
{
  RescueEnded ended;
  std::erase_if(
    this->Unsaved, [this](const auto& known) { return this->Save(known.second).empty(); });
  for (const auto& [number, snapshot] : this->Unsaved)
  {
    ended.Unsaved.push_back(number);
  }
  ended.GoesOn = !ended.Unsaved.empty() && this->HasLostHost();
  const Bytes packet = rescue::Packet(ended);
  // A server that is gone by now needs no answer.
  (void)send(this->Socket, packet.data(), packet.size(), MSG_NOSIGNAL);
  if (ended.GoesOn)
  {
    this->SaveAfterKill();
  }
}

void Rescuer::SaveAfterKill()
{
  std::erase_if(this->Unsaved, [this](const auto& known) { return !this->IsThere(known.second); });
  if (this->Unsaved.empty())
  {
    return;
  }
  this->OpenLog();
  Log().warn("the DSM server of {} has ended without notice; snapshots that were not saved: {}",
    this->Contact, this->Unsaved.size());
  const Deadline end(KeepTrying);
  std::string told;
  for (;;)
  {
    std::string failure;
    std::erase_if(this->Unsaved,
      [&](const auto& known)
      {
        std::string why = this->Save(known.second);
        const bool done = why.empty();
        failure = done ? failure : std::move(why);
        return done;
      });
    if (this->Unsaved.empty())
    {
      return;
    }
    if (failure != told)
    {
      Log().warn("{}; trying again for {:.3g} s", failure, end.LimitInSeconds());
      told = failure;
    }
    if (end.Expired())
    {
      break;
    }
    std::this_thread::sleep_for(BetweenTries);
  }
  for (const auto& [number, snapshot] : this->Unsaved)
  {
    Log().error("snapshot {} ({}) is lost", number, snapshot.FileName);
  }
}

// From now on what is logged is found beside the contact file.
void Rescuer::OpenLog() const
{
  const FileDescriptor log(open((this->Contact + ".rescue.log").c_str(),
    O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (log.IsOpen())
  {
    dup2(log.Get(), STDERR_FILENO);
  }
}

}
