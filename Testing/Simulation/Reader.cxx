// SPDX-License-Identifier: BSD-3-Clause
#include "Reader.h"

#include "Steering/SteeringMessages.h"
#include "Writer.h"

#include <algorithm>
#include <utility>

namespace dsm::simulation
{

namespace
{
const char* NameOf(Reader::Kind kind)
{
  return kind == Reader::Kind::Reader ? "reader"
    : kind == Reader::Kind::Viewer    ? "viewer"
                                      : "guest";
}

PeerDescription DescriptionOf(std::uint64_t number, Reader::Kind kind)
{
  PeerDescription description;
  description.Role = "viewer";
  description.Program = NameOf(kind);
  const bool isGuest = kind == Reader::Kind::Guest;
  description.Machine = isGuest ? "elsewhere" : "machine";
  description.Process = (isGuest ? 600 : 500) + number;
  return description;
}
}

Reader::Reader(World& world, std::uint64_t number, Kind kind, std::uint64_t writers)
  : Process(world, fmt::format("{}{}", NameOf(kind), number), DescriptionOf(number, kind),
      kind == Kind::Guest ? GuestKey(number) : World::Owner)
  , What(kind)
  , Writers(writers)
{
}

std::string Reader::GuestKey(std::uint64_t number)
{
  return fmt::format("{:0>40}", number);
}

std::string Reader::AnyFile()
{
  Random& chance = this->Surroundings.Chance;
  return Writer::FileName(chance.Below(this->Writers), chance.Below(Writer::FilesOfEach));
}

void Reader::Run()
{
  this->Later([this] { this->Next(); });
}

void Reader::Next()
{
  if (this->Ending)
  {
    this->Leave();
    return;
  }
  if (this->What != Kind::Guest && this->Surroundings.Chance.Chance(0.15))
  {
    this->Map();
    return;
  }
  const std::uint64_t choice = this->Surroundings.Chance.Below(12);
  if (choice < 4)
  {
    this->OpenByName();
  }
  else if (choice < 6)
  {
    this->OpenByNumber();
  }
  else if (choice == 6)
  {
    this->Await();
  }
  else if (choice == 7)
  {
    this->Surroundings.Chance.Chance(0.5) ? this->Hold() : this->Enter();
  }
  else if (this->What == Kind::Reader)
  {
    choice < 10 ? this->OpenForRank() : this->OpenByName();
  }
  else if (this->What == Kind::Guest)
  {
    choice < 10 ? this->TryToWrite() : this->Steer();
  }
  else if (choice == 8)
  {
    this->Surroundings.Chance.Chance(0.6) ? this->Invite() : this->Withdraw();
  }
  else
  {
    choice == 9 ? this->Steer() : this->Take();
  }
}

void Reader::OpenByName()
{
  OpenSnapshot open;
  open.File = this->AnyFile();
  open.Peek = this->Surroundings.Chance.Chance(0.2);
  this->Ask(open, [this](const LeasedSnapshot& leased) { this->Opened(leased); });
}

// Another of its ranks asks in memory, sometimes twice.
void Reader::OpenForRank()
{
  dsm::OpenForRank open;
  open.Speaker = this->Peer();
  open.Lease = ++this->LastHold;
  open.Wanted.File = this->AnyFile();
  const bool asksTwice = this->Surroundings.Chance.Chance(0.2);
  if (asksTwice)
  {
    this->Surroundings.AskInMemory(dsm::OpenForRank::Name, Encode(open), [](const Envelope&) {});
  }
  this->Surroundings.AskInMemory(dsm::OpenForRank::Name, Encode(open),
    [this, speaker = open.Speaker, lease = open.Lease](const Envelope& answer)
    {
      if (speaker != this->Peer())
      {
        return;
      }
      if (answer.What == Envelope::Kind::Refusal)
      {
        this->Run();
        return;
      }
      const auto leased = Decode<LeasedSnapshot>(answer.Body, "a reply");
      this->Later(this->Surroundings.Chance.Between(0.2, 1.5),
        [this, leased, speaker, lease]
        {
          this->Read(leased.Snapshot, 0,
            [this, speaker, lease]
            {
              this->Surroundings.AskInMemory(
                CloseForRank::Name, Encode(CloseForRank{ speaker, lease }), [](const Envelope&) {});
              this->Run();
            });
        });
    });
}

void Reader::OpenByNumber()
{
  this->Ask(ListSnapshots{ 0, {}, false, this->Surroundings.Chance.Chance(0.5) },
    [this](const SnapshotList& list)
    {
      if (list.Snapshots.empty())
      {
        this->Run();
        return;
      }
      OpenSnapshot open;
      open.Number = list.Snapshots[this->Surroundings.Chance.Below(list.Snapshots.size())].Number;
      this->Ask(open, [this](const LeasedSnapshot& leased) { this->Opened(leased); });
    });
}

void Reader::Await()
{
  const SnapshotId after = this->LastAwaited;
  this->Ask(AwaitSnapshot{ this->AnyFile(), after, this->Surroundings.Chance.Between(0.0, 5.0) },
    [this](const AwaitedSnapshot& awaited)
    {
      if (awaited.Number == 0)
      {
        this->Run();
        return;
      }
      this->LastAwaited = awaited.Number;
      OpenSnapshot open;
      open.Number = awaited.Number;
      this->Ask(open, [this](const LeasedSnapshot& leased) { this->Opened(leased); });
    });
}

// The newest is kept by the list's lease, and another by a lease of the reader's own.
void Reader::Hold()
{
  ListSnapshots list;
  list.Hold = true;
  this->Ask(list,
    [this](const SnapshotList& all)
    {
      if (!all.Lease)
      {
        this->Run();
        return;
      }
      const std::uint64_t own = ++this->LastHold;
      HoldSnapshots hold;
      hold.Begun.push_back({ all.Snapshots.front().Number, own, false });
      this->Tell(hold);
      this->Later(this->Surroundings.Chance.Between(0.1, 3.0),
        [this, own, lease = *all.Lease]
        {
          HoldSnapshots ended;
          ended.Ended.push_back(own);
          this->Tell(ended);
          this->Tell(CloseSnapshot{ lease });
          this->Run();
        });
    });
}

// Reads a snapshot whose place it knows without asking for it. What it finds once it has entered
// stays until the server has heard of it, and for as long as the hold lasts.
void Reader::Enter()
{
  OpenSnapshot open;
  open.File = this->AnyFile();
  this->Ask(open,
    [this](const LeasedSnapshot& leased)
    {
      this->Tell(CloseSnapshot{ leased.Lease });
      const SnapshotDescription& known = leased.Snapshot;
      this->Later(this->Surroundings.Chance.Between(0.0, 2.0),
        [this, known]
        {
          HostMemory& memory = this->Surroundings.Memory;
          if (known.Shared || !memory.Enter(known.Slot))
          {
            this->Run();
            return;
          }
          if (!memory.Holds(known.Slot, known.Generation))
          {
            memory.NoteReader(known.Slot);
            this->Run();
            return;
          }
          const std::uint64_t own = ++this->LastHold;
          HoldSnapshots hold;
          hold.Begun.push_back({ known.Number, own, false, known.Slot });
          this->Tell(hold);
          this->Later(this->Surroundings.Chance.Between(0.1, 3.0),
            [this, known, own]
            {
              this->Read(known, 0,
                [this, own]
                {
                  HoldSnapshots ended;
                  ended.Ended.push_back(own);
                  this->Tell(ended);
                  this->Run();
                });
            });
        });
    });
}

// Maps a snapshot that it has open, and closes it.
void Reader::Map()
{
  OpenSnapshot open;
  open.File = this->AnyFile();
  open.Peek = true;
  this->Ask(open,
    [this](const LeasedSnapshot& leased)
    {
      this->Ask(MapSnapshot{ leased.Snapshot.Number, this->Number() },
        [this, leased](const MappingReply& reply)
        {
          if (reply.Kept &&
            this->Surroundings.Memory.Mapped(reply.Kept->Place).Take(reply.Kept->Number))
          {
            const std::uint64_t number = reply.Kept->Number;
            this->Mappings[number] = { leased.Snapshot, reply.Kept->Place };
            this->Surroundings.BeginsMapping(this->Number(), number, leased.Snapshot.Number);
            this->Look(number);
          }
          this->Tell(CloseSnapshot{ leased.Lease });
          this->Run();
        });
    });
}

// Looks again and again whether the memory has the snapshot's bytes, whatever the server thinks of
// this process meanwhile.
void Reader::Look(std::uint64_t number)
{
  this->Surroundings.Time.After(this->Surroundings.Chance.Between(0.2, 4.0),
    [this, number]
    {
      if (!this->IsAlive())
      {
        return;
      }
      if (this->IsStopped())
      {
        this->Look(number);
        return;
      }
      const Mapping& mapping = this->Mappings.at(number);
      HostMemory::Contents found;
      const auto* expected = this->Surroundings.Expected(mapping.Snapshot.Number);
      if (!this->Surroundings.Memory.Read(mapping.Snapshot, found) || !expected ||
        *expected != found)
      {
        this->Surroundings.Notes.Fail("{} maps snapshot {} in slot {} and finds other bytes",
          this->Name, mapping.Snapshot.Number, mapping.Snapshot.Slot);
      }
      const bool isDone = this->Ending || mapping.IsWanted || this->Surroundings.Chance.Chance(0.3);
      isDone ? this->LetGo(number) : this->Look(number);
    });
}

void Reader::LetGo(std::uint64_t number)
{
  const auto mapping = this->Mappings.extract(number);
  this->Surroundings.EndsMapping(this->Number(), number);
  this->Surroundings.Memory.Mapped(mapping.mapped().Place).LetGo(number);
}

void Reader::Receive(const Envelope& event)
{
  if (!Is<GiveBackSnapshots>(event))
  {
    return;
  }
  for (const MappedPlace& wanted : Content<GiveBackSnapshots>(event).Kept)
  {
    if (const auto found = this->Mappings.find(wanted.Number); found != this->Mappings.end())
    {
      found->second.IsWanted = true;
    }
  }
}

void Reader::Take()
{
  this->Ask(TakeSnapshot{ this->LastTaken, true, this->Surroundings.Chance.Between(0.0, 5.0) },
    [this](const TakenSnapshot& taken)
    {
      if (!taken.Snapshot)
      {
        this->Run();
        return;
      }
      const SnapshotId number = taken.Snapshot->Snapshot.Number;
      if (number <= this->LastTaken)
      {
        this->Surroundings.Notes.Fail(
          "{} took snapshot {} after {}", this->Name, number, this->LastTaken);
      }
      this->LastTaken = number;
      if (!taken.Snapshot->Snapshot.Parts.empty())
      {
        this->Tell(
          CloseSnapshot{ taken.Snapshot->Lease }); // several files, each with its own bytes
        this->Run();
        return;
      }
      this->Opened(*taken.Snapshot);
    });
}

void Reader::Opened(const LeasedSnapshot& leased)
{
  this->Later(this->Surroundings.Chance.Between(0.0, 1.0),
    [this, leased]
    {
      this->Read(leased.Snapshot, 0,
        [this, lease = leased.Lease]
        {
          this->Tell(CloseSnapshot{ lease });
          this->Run();
        });
    });
}

void Reader::Read(
  const SnapshotDescription& snapshot, std::uint64_t tries, const std::function<void()>& next)
{
  HostMemory::Contents found;
  if (this->Surroundings.Memory.Read(snapshot, found))
  {
    const auto* expected = this->Surroundings.Expected(snapshot.Number);
    if (!expected || *expected != found)
    {
      const auto differ = expected ? std::ranges::mismatch(*expected, found).in2 : found.begin();
      this->Surroundings.Notes.Fail("{} reads snapshot {} in slot {}{} and finds other bytes than "
                                    "were written: page {} of {}{}",
        this->Name, snapshot.Number, snapshot.Slot,
        snapshot.Shared ? fmt::format(" and shared slot {}", snapshot.Shared->Slot) : "",
        differ - found.begin(), found.size(), expected ? "" : " (nobody has written it)");
    }
    next();
    return;
  }
  if (tries > 50)
  {
    this->Surroundings.Notes.Fail(
      "{} finds no bytes of snapshot {} where it is said to be", this->Name, snapshot.Number);
    return;
  }
  this->Ask(
    LocateSnapshot{ snapshot.Number },
    [this, tries, next](const SnapshotDescription& now)
    {
      // Bytes that move are somewhere else when the hosts have moved them.
      const std::uint64_t before = this->Surroundings.HostsHear() ? tries + 1 : 0;
      this->Later(0.2, [this, now, before, next] { this->Read(now, before, next); });
    },
    [this, next](const Error& error)
    { error.GetFault() == Fault::Refused ? next() : this->Again(error); });
}

void Reader::Invite()
{
  const std::uint64_t guest = this->Surroundings.Chance.Below(2);
  InviteGuest invite;
  invite.Guest = fmt::format("guest{}", guest);
  invite.Key = GuestKey(guest);
  this->Ask(invite, [this](const Nothing&) { this->Run(); });
}

void Reader::Withdraw()
{
  this->Ask(WithdrawGuest{ fmt::format("guest{}", this->Surroundings.Chance.Below(2)) },
    [this](const WithdrawnGuest&) { this->Run(); });
}

void Reader::Steer()
{
  RequestSteering asked;
  if (this->Surroundings.Chance.Chance(0.5))
  {
    asked.Request = StatusRequest();
  }
  else
  {
    ApplyRequest apply;
    apply.Commands.emplace_back("pause", PlainValue());
    asked.Request = apply;
  }
  const bool isForbidden = this->What == Kind::Guest && asked.Needed() != Right::Look;
  this->Ask(asked,
    [this, isForbidden](const AnsweredSteering&)
    {
      if (isForbidden)
      {
        this->Surroundings.Notes.Fail("{} may only look, and has steered", this->Name);
      }
      this->Run();
    });
}

void Reader::TryToWrite()
{
  BeginImage begin;
  begin.File = this->AnyFile();
  this->Ask(begin, [this](const ImageGranted&)
    { this->Surroundings.Notes.Fail("{} may only look, and writes a file", this->Name); });
}

}
