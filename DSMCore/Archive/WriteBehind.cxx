// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/WriteBehind.h"

#include "Archive/NameOnDisk.h"
#include "Archive/SnapshotWriter.h"
#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Base/NodeIdentity.h"
#include "Base/Threads.h"
#include "Driver/Placeholder.h"
#include "Peer/Connection.h"
#include "Peer/Peek.h"
#include "Peer/SnapshotView.h"
#include "Server/Server.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <type_traits>

namespace dsm
{

namespace
{
// At the end: how long without a byte.
constexpr Seconds StallLimit(60);
// How often what is waited for is said, and how often it is looked at.
constexpr Seconds TellInterval(5);
constexpr Seconds LookInterval(0.5);
// How long a thread that is to stop may take to its next step.
constexpr Seconds EndLimit(5);
// How many files are named, where there are many.
constexpr std::size_t MostNamed = 10;
// How often a file may change its name just when it is put there.
constexpr int MostMoves = 10;

std::string TextOf(const SnapshotDescription& snapshot)
{
  return fmt::format("snapshot {} ({})", snapshot.Number, snapshot.FileName);
}
}

// With a thread that may outlive the server, where a disk hangs.
class WriteBehind::Implementation : public std::enable_shared_from_this<Implementation>
{
public:
  explicit Implementation(Server& server)
    : Source(&server)
    , Writer(&server)
    , Contact(server.ContactPath())
    , Known{ server.Address().ServerPublicKey, [this](const FileMark& mark)
      { return this->AskDisk([&](const DiskAccess& disk) { return disk.WrittenAs(mark); }); },
      [this](const PlaceholderAddress& placeholder)
      { return this->AskDisk([&](const DiskAccess& disk) { return disk.FamilyOf(placeholder); }); },
      [this](SnapshotId family)
      { return this->AskDisk([&](const DiskAccess& disk) { return disk.WrittenOf(family); }); } }
  {
  }

  void Start()
  {
    this->Source->Disk().Offer(true);
    const SignalsBlocked quiet;
    std::thread([self = this->shared_from_this()] { self->Run(); }).detach();
  }

  bool Finish();

private:
  // Asks the server, which is not to end meanwhile. If it ends, it knows nothing.
  template <typename Question>
  std::invoke_result_t<Question, DiskAccess> AskDisk(const Question& question)
  {
    const std::lock_guard lock(this->Guard);
    return question(this->Source ? this->Source->Disk() : DiskAccess(nullptr));
  }

  bool Await();
  void PutAside(const SnapshotDescription& snapshot);
  void Run();
  void CarryOut(const SnapshotDescription& snapshot);
  DiskOutcome Write(const SnapshotDescription& snapshot);
  std::unique_ptr<NewFile> WriteFile(const SnapshotView& view, const std::string& path);
  bool Put(const SnapshotDescription& snapshot, const NameOnDisk& name, NewFile& file);
  bool Find(NameOnDisk& name, const SnapshotDescription& snapshot);
  const std::shared_ptr<Connection>& OpenLink();

  std::mutex Guard;
  Server* Source; ///< null: it ends, and the thread did not
  bool Ended = false;
  std::condition_variable End;

  SnapshotWriter Writer; ///< of the thread
  const std::string Contact;
  const NameOnDisk::Known Known;
  std::shared_ptr<Connection> Link;
  std::set<std::string> SeenFrom;          ///< machines that have the same file system as this one
  std::atomic<std::uint64_t> Written{ 0 }; ///< bytes
  std::atomic<bool> Stopping{ false };
  std::optional<bool> Complete; ///< Finish was called
};

bool WriteBehind::Implementation::Finish()
{
  if (this->Complete)
  {
    return *this->Complete;
  }
  const ServerStatus status = this->Source->Status();
  if (status.Options.AlsoOnDisk != "none" || status.WaitingForDisk > 0)
  {
    this->Source->TakeNoMore();
    this->Source->Disk().TryNow();
  }
  this->Complete = this->Await();
  this->Stopping = true;
  this->Source->Disk().Offer(false);
  std::unique_lock lock(this->Guard);
  this->End.wait_for(lock, EndLimit, [this] { return this->Ended; });
  this->Source = nullptr;
  return *this->Complete;
}

bool WriteBehind::Implementation::Await()
{
  std::uint64_t written = this->Written;
  Deadline stalled(StallLimit);
  Deadline silent(TellInterval);
  DiskBacklog left;
  for (;;)
  {
    left = this->Source->Disk().Await(Deadline(LookInterval));
    const std::uint64_t now = this->Written;
    if (!left.Busy || (now == written && stalled.Expired()))
    {
      break;
    }
    if (now != written)
    {
      written = now;
      stalled = Deadline(StallLimit);
    }
    if (silent.Expired())
    {
      silent = Deadline(TellInterval);
      Log().warn("waiting until {} files ({}) are on disk as well, now {}", left.Files.size(),
        environment::FormatBytes(left.Bytes()),
        left.Files.empty() ? "" : left.Files.front().Snapshot.FileName);
    }
  }
  for (std::size_t file = 0; file < std::min(left.Files.size(), MostNamed); ++file)
  {
    const auto& [snapshot, why] = left.Files[file];
    Log().error("{} is lost, since it is not on disk: {}", TextOf(snapshot),
      !why.empty() ? why : fmt::format("nothing was written for {:.3g} s", StallLimit.count()));
  }
  if (left.Files.size() > MostNamed)
  {
    Log().error("so are {} more", left.Files.size() - MostNamed);
  }
  for (const auto& file : left.Files)
  {
    this->PutAside(file.Snapshot);
  }
  for (const SnapshotDescription& lost : this->Source->Disk().LostStates())
  {
    this->PutAside(lost);
  }
  return left.Files.empty();
}

// Nobody is to take an older state of a file for the newest. The placeholder in its place is told
// with all others that the server has ended.
void WriteBehind::Implementation::PutAside(const SnapshotDescription& snapshot)
{
  try
  {
    NameOnDisk name(snapshot, this->Known);
    if (!name.Find() || !name.HasOlderState())
    {
      return;
    }
    const std::string aside = name.PutAside();
    Log().error(
      "{} is lost: the older state of {} is {} now", TextOf(snapshot), name.Path(), aside);
    Placeholder instead(name.Path(), Placeholder::Name::Free);
    instead.Put({ this->Contact, this->Known.Key, snapshot.Number });
    instead.Tell(snapshot.Number, snapshot.FileSize);
  }
  catch (const std::exception& error)
  {
    Log().error("{}", error.what());
  }
}

void WriteBehind::Implementation::Run()
{
  LowerPriority();
  while (!this->Stopping)
  {
    // The server is there as long as Stopping is not said.
    const auto order = this->Source->Disk().WaitForOrder();
    if (!order)
    {
      break;
    }
    this->CarryOut(*order);
  }
  const std::lock_guard lock(this->Guard);
  this->Ended = true;
  this->End.notify_all();
}

void WriteBehind::Implementation::CarryOut(const SnapshotDescription& snapshot)
{
  DiskOutcome outcome;
  try
  {
    outcome = this->Write(snapshot);
  }
  catch (const std::exception& error)
  {
    outcome = { DiskOutcome::Kind::Failed, error.what() };
  }
  this->AskDisk([&](const DiskAccess& disk) { disk.Done(snapshot, outcome); });
}

const std::shared_ptr<Connection>& WriteBehind::Implementation::OpenLink()
{
  if (!this->Link || !this->Link->Alive())
  {
    this->Link = Connection::Open(this->Contact, "viewer", 1, Deadline(RequestTimeout()));
  }
  return this->Link;
}

// Where nothing of a simulation on another machine was ever seen, its file system may not be here.
bool WriteBehind::Implementation::Find(NameOnDisk& name, const SnapshotDescription& snapshot)
{
  const bool found = name.Find();
  if (name.IsSeen())
  {
    this->SeenFrom.insert(snapshot.Machine);
  }
  else if (!found && name.WhyNot().empty() && snapshot.Machine != NodeIdentity() &&
    !this->SeenFrom.contains(snapshot.Machine))
  {
    throw Error(Fault::System,
      "on {} there is no {}, which its simulation has left there on another machine. The hosts "
      "that share memory must see the file system that the simulation writes to",
      MachineName(), snapshot.FileName);
  }
  return found;
}

// Puts a file under its name, which the server knows from the moment on when others see the file.
bool WriteBehind::Implementation::Put(
  const SnapshotDescription& snapshot, const NameOnDisk& name, NewFile& file)
{
  const FilePut put{ file.Mark(), file.IdentityAt(name.Path()), name.Identity() };
  {
    const std::lock_guard lock(this->Guard);
    if (!this->Source)
    {
      throw Error(Fault::System, "the server has ended");
    }
    this->Source->Disk().EnterWritten(snapshot, put);
  }
  return name.Put(file);
}

DiskOutcome WriteBehind::Implementation::Write(const SnapshotDescription& snapshot)
{
  NameOnDisk name(snapshot, this->Known);
  if (!this->Find(name, snapshot))
  {
    return { DiskOutcome::Kind::NotWanted, name.WhyNot() };
  }
  const Peek peek; // what is on disk as well has not been looked at
  const SnapshotView view(this->OpenLink(), snapshot.Number);
  const auto file = this->WriteFile(view, name.Path());
  for (int moves = 0; !this->Put(view.Description(), name, *file); ++moves)
  {
    if (moves == MostMoves)
    {
      throw Error(Fault::System, "what is called {} changes all the time", name.Path());
    }
    if (!this->Find(name, snapshot))
    {
      return { DiskOutcome::Kind::NotWanted, name.WhyNot() };
    }
  }
  for (int moves = 0; moves < MostMoves && name.FindCopy();)
  {
    // One that has just gone is not looked for: it has its own name, if any.
    const auto copy = this->WriteFile(view, name.Path());
    moves += this->Put(view.Description(), name, *copy) ? 0 : 1;
  }
  return { DiskOutcome::Kind::Written, {} };
}

std::unique_ptr<NewFile> WriteBehind::Implementation::WriteFile(
  const SnapshotView& view, const std::string& path)
{
  auto file = std::make_unique<NewFile>(path, view.Description().Access);
  file->PassBy(NameBeside(this->Contact, ".put"));
  this->Writer.Write(view, *file,
    [this](std::uint64_t bytes)
    {
      this->Written += bytes;
      if (this->Stopping)
      {
        throw Error(Fault::System, "the server ends");
      }
    });
  return file;
}

WriteBehind::WriteBehind(Server& server)
{
  if (server.Steering())
  {
    this->Self = std::make_shared<Implementation>(server);
    this->Self->Start();
  }
}

WriteBehind::~WriteBehind()
{
  this->Finish();
}

bool WriteBehind::Finish()
{
  return !this->Self || this->Self->Finish();
}

}
