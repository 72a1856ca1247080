// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/LiveDirectory.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileMark.h"
#include "Base/Log.h"
#include "Base/NodeIdentity.h"
#include "Base/TestDelay.h"
#include "Driver/FoldersWithoutNames.h"
#include "Driver/Placeholder.h"
#include "Driver/SnapshotsRead.h"
#include "Mpi/Communicator.h"
#include "Peer/Connections.h"
#include "Protocol/Peer.h"
#include "Protocol/SnapshotMessages.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <thread>

#include <sys/stat.h>

namespace dsm
{

namespace
{

/// Seconds that this process's first connection may wait for its server. A program in one MPI job
/// with ParaView starts before ParaView can have written the contact file.
Seconds TakeStartupTimeout()
{
  static std::atomic<bool> taken{ false };
  return taken.exchange(true) ? Seconds(0) : environment::SecondsOr("DSM_WAIT", 0);
}

// How long a file waits for a server that this process has lost, and that may just have been
// started again.
constexpr Seconds SecondLook(1);

// How often the placeholder of a file is looked at that is waited for.
constexpr std::chrono::milliseconds BetweenNames(500);

// After how long a program that waits says what for.
constexpr Seconds SilentWait(5);

// When a file on disk was changed last, seconds since 1970; none where there is no file.
std::optional<double> OnDiskSince(const std::string& fileName)
{
  struct stat status = {};
  if (stat(fileName.c_str(), &status) != 0)
  {
    return std::nullopt;
  }
  return static_cast<double>(status.st_mtim.tv_sec) +
    1e-9 * static_cast<double>(status.st_mtim.tv_nsec);
}

// Whether a file may have come to its name while the server of a contact file runs, so that the
// server may have put it there. Clocks of two file systems may differ.
bool IsSince(const std::string& contact, const std::string& fileName)
{
  constexpr time_t difference = 60;
  struct stat server = {};
  struct stat file = {};
  return stat(contact.c_str(), &server) == 0 && stat(fileName.c_str(), &file) == 0 &&
    file.st_ctim.tv_sec + difference >= server.st_mtim.tv_sec;
}

// Whether a contact file is one of the server that a placeholder names.
bool IsContactOf(const PlaceholderAddress& address, const std::string& path)
{
  try
  {
    return ReadContact(path, Deadline(Seconds(1))).ServerPublicKey == address.Server;
  }
  catch (const Error&)
  {
    return false;
  }
}

// What servers wanted when they were asked last, by their contacts.
struct LastWanted
{
  std::mutex Guard;
  std::map<std::string, std::string> Patterns;
};

// Never destroyed, as the connections are not.
LastWanted& TheLastWanted()
{
  static LastWanted* const patterns = new LastWanted;
  return *patterns;
}

}

LiveDirectory::LiveDirectory(const std::string& role, std::uint64_t ranks)
  : Role(role)
  , Ranks(ranks)
{
}

std::vector<std::string> LiveDirectory::ConnectedContacts() const
{
  std::vector<std::string> contacts;
  for (const auto& connection : connections::All())
  {
    contacts.push_back(connection->ContactPath());
  }
  return contacts;
}

bool LiveDirectory::IsContactFile(const std::string& path) const
{
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed))
  {
    return false;
  }
  try
  {
    ReadContact(path, Deadline(Seconds(1)));
    return true;
  }
  catch (const Error&)
  {
    return false;
  }
}

std::shared_ptr<Connection> LiveDirectory::Link(const std::string& contact)
{
  auto& link = this->Links[contact];
  if (!link || !link->Alive())
  {
    const bool goesOn =
      this->IfLost == WithoutServer::Disk || this->IfLost == WithoutServer::Discard;
    const Seconds limit = goesOn && connections::WasLost(contact)
      ? std::min(SecondLook, RequestTimeout())
      : RequestTimeout();
    for (const Deadline deadline(TakeStartupTimeout()); !link || !link->Alive();)
    {
      try
      {
        link = connections::Get(contact, this->Role, this->Ranks, Deadline(limit));
      }
      catch (const Error& error)
      {
        if (error.GetFault() != Fault::NoServer || deadline.Expired())
        {
          throw;
        }
        std::this_thread::sleep_for(deadline.Remaining(std::chrono::milliseconds(50)));
      }
    }
  }
  return link;
}

std::optional<SnapshotId> LiveDirectory::Newest(
  const std::string& contact, const std::string& fileName)
{
  return this->Find(contact, [&](const std::shared_ptr<Connection>& link)
    { return std::make_unique<SnapshotView>(link, fileName, OnDiskSince(fileName)); });
}

std::optional<SnapshotId> LiveDirectory::NewestOf(
  const std::string& contact, const std::string& fileName, const PlaceholderContents& there)
{
  return this->Find(contact, [&](const std::shared_ptr<Connection>& link)
    { return SnapshotView::Unfinished(link, fileName, UnfinishedFile::Of(there)); });
}

std::optional<SnapshotId> LiveDirectory::Find(const std::string& contact, const Opening& open)
{
  this->NewestView.reset();
  for (bool first = true; !this->NewestView; first = false)
  {
    const auto link = this->Link(contact);
    try
    {
      this->NewestView = open(link);
    }
    catch (const Error& error)
    {
      // It has none of that name; a server that ends the connection meanwhile says something else.
      if (error.GetFault() == Fault::Refused && link->Alive())
      {
        return std::nullopt;
      }
      // Once more where the connection has only now turned out to be lost: a server that gave this
      // process up, since it was stopped, is still there.
      if (!first || link->Alive())
      {
        throw;
      }
    }
  }
  this->NewestContact = contact;
  return this->NewestView->Description().Number;
}

std::optional<SnapshotId> LiveDirectory::Version(
  const MasterFile& master, const std::string& fileName, SnapshotId known)
{
  this->NewestView.reset();
  const auto link = this->Link(master.Contact);
  const auto mark = known == 0 ? FileMark::Of(fileName) : std::nullopt;
  const SnapshotId put = mark && link->GetFilePolicy().MayBeOnDisk
    ? link->Ask(FindOnDisk{ fileName, *mark }).Snapshot
    : SnapshotId(0);
  if (mark && put == 0)
  {
    return std::nullopt; // a file on disk that is none of the server's
  }
  try
  {
    this->NewestView = SnapshotView::Version(link, fileName, std::max(known, put), master.Number);
    this->NewestContact = master.Contact;
    return this->NewestView->Description().Number;
  }
  catch (const Error& error)
  {
    if (error.GetFault() == Fault::Gone && put != 0 && put < master.Number)
    {
      return SnapshotId(0);
    }
    if (error.GetFault() != Fault::Refused || !link->Alive())
    {
      throw;
    }
    return std::nullopt;
  }
}

bool LiveDirectory::NewestHadName() const
{
  static const std::string here = NodeIdentity();
  return this->NewestView && this->NewestView->Description().Named &&
    this->NewestView->Description().Machine == here;
}

// A writer may give its file another name when it is whole, which the server does not see: so the
// placeholder is looked at now and then.
SnapshotId LiveDirectory::Next(
  const std::string& contact, const std::string& fileName, Seconds limit)
{
  const Deadline deadline(limit);
  const SnapshotId last = SnapshotsRead::Last(contact, fileName);
  for (SnapshotId after = last;;)
  {
    const auto link = this->Link(contact);
    const bool over = deadline.Expired();
    const Seconds wait = over ? Seconds(0) : Seconds(deadline.Remaining(BetweenNames));
    const auto next =
      link->Request(AwaitSnapshot{ fileName, after, wait.count() }, wait + RequestTimeout());
    SnapshotId number = next.Number;
    if (number == 0)
    {
      const auto there = this->PlaceholderAt(fileName);
      const bool isNewer = there && there->State == PlaceholderState::InMemory &&
        there->Address.Number > after &&
        there->Address.Server == link->GetContact().ServerPublicKey;
      number = isNewer ? there->Address.Number : SnapshotId(0);
    }
    if (number != 0)
    {
      try
      {
        this->NewestView = std::make_unique<SnapshotView>(link, number);
        this->NewestContact = contact;
        return number;
      }
      catch (const Error& error)
      {
        if (error.GetFault() != Fault::Refused && error.GetFault() != Fault::Gone)
        {
          throw;
        }
        after = number; // it had to go meanwhile
        continue;
      }
    }
    const std::string had = last == 0 ? "none of it has been read"
                                      : fmt::format("the last that was read is snapshot {}", last);
    if (next.NoneWillCome)
    {
      throw Error(Fault::Gone,
        "{}: no further snapshot will come, since the program that writes has ended; {} "
        "(DSM_READ=next)",
        fileName, had);
    }
    if (over)
    {
      throw Error(Fault::TimedOut,
        "{}: waited {:.3g} s for the next snapshot (DSM_READ=next, DSM_READ_LIMIT); {}", fileName,
        deadline.LimitInSeconds(), had);
    }
  }
}

SnapshotId LiveDirectory::Latest(const std::string& contact)
{
  this->NewestView = SnapshotView::Latest(this->Link(contact));
  this->NewestContact = contact;
  return this->NewestView->Description().Number;
}

void LiveDirectory::RequireServer(const std::string& contact)
{
  this->Link(contact);
}

std::string LiveDirectory::Wanted(const std::string& contact)
{
  const std::string wanted = this->Link(contact)->GetFilePolicy().Match;
  LastWanted& known = TheLastWanted();
  const std::lock_guard lock(known.Guard);
  known.Patterns[contact] = wanted;
  return wanted;
}

std::string LiveDirectory::WantedBefore(const std::string& contact) const
{
  LastWanted& known = TheLastWanted();
  const std::lock_guard lock(known.Guard);
  const auto found = known.Patterns.find(contact);
  return found != known.Patterns.end() ? found->second : FilePolicy().Match;
}

void LiveDirectory::GoOnWithout(const std::string& contact, const Error& why)
{
  this->WentOn = true;
  connections::Search(
    contact, DescribeThisProcess(this->Role, this->Ranks, Communicator::RunningLibrary()), why);
}

void LiveDirectory::Await(const std::string& contact, const Error& why)
{
  if (!this->Patience)
  {
    this->Patience.emplace(WaitForServerLimit());
  }
  const Deadline silence(SilentWait);
  this->GoOnWithout(contact, why);
  while (!connections::Find(contact))
  {
    if (this->Patience->Expired())
    {
      throw Error(why.GetFault(), "{}; waited {:.3g} s for it (DSM_WAIT_LIMIT)", why.what(),
        this->Patience->LimitInSeconds());
    }
    if (silence.Expired())
    {
      if (const auto missing = connections::TakeUntold(contact))
      {
        Log().warn("{}\ndsm warning: the program waits for the server, {:.3g} s at most "
                   "(DSM_WITHOUT_SERVER=wait, DSM_WAIT_LIMIT)",
          missing->Why.what(), this->Patience->LimitInSeconds());
      }
    }
    std::this_thread::sleep_for(this->Patience->Remaining(std::chrono::milliseconds(50)));
  }
}

std::optional<SnapshotDirectory::PutFile> LiveDirectory::FindPut(
  const std::string& contact, const std::string& fileName, bool connect)
{
  this->NewestView.reset();
  try
  {
    // Without its contact file, a server has put nothing there, or has ended.
    auto link = connections::Find(contact);
    if (!link && (connect || IsSince(contact, fileName)) && this->IsContactFile(contact))
    {
      link = this->Link(contact);
    }
    const auto mark = FileMark::Of(fileName);
    if (!mark || !link || !link->GetFilePolicy().MayBeOnDisk)
    {
      return std::nullopt;
    }
    const auto found = link->Ask(FindOnDisk{ fileName, *mark });
    if (found.Snapshot == 0)
    {
      return std::nullopt;
    }
    if (found.Gone != 0)
    {
      throw Error(Fault::Gone,
        "snapshot {} of {} has left the DSM server's ring to make room, and what is on disk is "
        "older (snapshot {}): keep more snapshots (more memory per host), or more of them on disk",
        found.Gone, fileName, found.Snapshot);
    }
    if (found.Newest != 0)
    {
      // Or it has left the ring between, and is on disk.
      this->NewestView = std::make_unique<SnapshotView>(link, found.Newest);
      this->NewestContact = contact;
    }
    return PutFile{ found.Newest, *mark };
  }
  catch (const Error& error)
  {
    if (error.GetFault() == Fault::Gone)
    {
      throw;
    }
    Log().debug("{} is taken as it is on disk: {}", fileName, error.what());
    return std::nullopt;
  }
}

bool LiveDirectory::OnDisk(const std::string& fileName) const
{
  testdelay::At("whether a file is on disk");
  std::error_code failed;
  return std::filesystem::exists(fileName, failed);
}

bool LiveDirectory::HasFolder(const std::string& fileName) const
{
  struct stat status = {};
  const auto folder = std::filesystem::path(fileName).parent_path();
  return stat(folder.c_str(), &status) == 0 ? S_ISDIR(status.st_mode)
                                            : errno != ENOENT && errno != ENOTDIR;
}

bool LiveDirectory::CouldBeOnDisk(const std::string& fileName) const
{
  return access(std::filesystem::path(fileName).parent_path().c_str(), W_OK) == 0;
}

bool LiveDirectory::LacksNames(const std::string& fileName) const
{
  return FoldersWithoutNames::HasThatOf(fileName);
}

std::optional<PlaceholderContents> LiveDirectory::PlaceholderAt(const std::string& fileName) const
{
  return Placeholder::Read(fileName, this->PlainFile);
}

std::shared_ptr<Connection> LiveDirectory::Connected(const PlaceholderAddress& address)
{
  for (const auto& connection : connections::All())
  {
    if (connection->GetContact().ServerPublicKey == address.Server && connection->Alive())
    {
      return connection;
    }
  }
  return nullptr;
}

std::string LiveDirectory::ContactOf(
  const PlaceholderAddress& address, const std::optional<std::string>& preferred)
{
  if (const auto connection = Connected(address))
  {
    return connection->ContactPath();
  }
  // A guest has a contact file of its own.
  const bool prefers =
    preferred && *preferred != address.Contact && IsContactOf(address, *preferred);
  const std::string& contact = prefers ? *preferred : address.Contact;
  if (this->Link(contact)->GetContact().ServerPublicKey != address.Server)
  {
    throw Error(Fault::Refused, "at {} there is another server now", contact);
  }
  return contact;
}

std::unique_ptr<SnapshotView> LiveDirectory::View(
  const RoutingDecision& decision, const std::string& fileName)
{
  if (this->NewestView && this->NewestContact == decision.Contact &&
    this->NewestView->Description().Number == decision.Number)
  {
    return std::move(this->NewestView);
  }
  const auto link = this->Link(decision.Contact);
  auto view =
    decision.Place ? SnapshotView::At(link, decision.Number, fileName, *decision.Place) : nullptr;
  if (view)
  {
    return view;
  }
  return decision.There ? SnapshotView::Behind(link, decision.Number, decision.There->Identity)
                        : std::make_unique<SnapshotView>(link, decision.Number);
}

}
