// SPDX-License-Identifier: BSD-3-Clause
#include "Host.h"

namespace dsm::simulation
{

namespace
{
PeerDescription DescriptionOf(std::uint64_t number)
{
  PeerDescription description;
  description.Role = "host";
  description.Machine = "machine";
  description.Process = 1000 + number;
  return description;
}
}

Host::Host(World& world, HostIndex number)
  : Process(world, fmt::format("host{}", number), DescriptionOf(number), World::Owner)
  , Number(number)
{
}

void Host::Prepare(Hello& hello)
{
  hello.Host = HostSeat{ this->Number, World::Secret, this->Connection() };
}

// Tasks that it was given over an earlier connection have failed.
void Host::Run()
{
  this->Orders.clear();
  this->IsBusy = false;
}

void Host::Receive(const Envelope& event)
{
  if (Is<PrepareMemory>(event))
  {
    this->Orders.push_back(Content<PrepareMemory>(event));
    this->Work();
  }
  else if (Is<WriteShare>(event))
  {
    this->Later(this->Surroundings.Chance.Between(0.01, 0.5),
      [this, share = Content<WriteShare>(event)] { this->Write(share); });
  }
}

void Host::Work()
{
  if (this->IsBusy || this->Orders.empty())
  {
    return;
  }
  this->IsBusy = true;
  const bool isSlow = this->Surroundings.Chance.Chance(0.03);
  this->Later(this->Surroundings.Chance.Between(0.0, isSlow ? 2.0 : 0.01),
    [this]
    {
      const PrepareMemory order = std::move(this->Orders.front());
      this->Orders.pop_front();
      this->IsBusy = false;
      this->Finish(order);
      this->Work();
    });
}

void Host::Finish(const PrepareMemory& order)
{
  const bool wantsMemory = !order.Ahead.empty() || order.Reserve.Begin < order.Reserve.End;
  const bool fails =
    wantsMemory && this->Surroundings.MemoryFails() && this->Surroundings.Chance.Chance(0.7);
  this->Surroundings.Memory.Carry(this->Number, order, fails);
  this->Surroundings.Notes.Note(
    "{} prepares slot {}{}: releases {} ranges, clears [{}, {}) of slot {}, copies {} ranges",
    this->Name, order.Slot, fails ? ", and fails" : "", order.Release.size(), order.Zero.Begin,
    order.Zero.End, order.Zero.Slot, order.Copy.size());
  for (const SlotRange& range : order.Release)
  {
    this->Surroundings.Notes.Note(
      "{} releases [{}, {}) of slot {}", this->Name, range.Begin, range.End, range.Slot);
  }
  MemoryPrepared prepared;
  prepared.Tickets = order.Tickets;
  prepared.Ahead = !order.Ahead.empty();
  prepared.Failure = fails ? "no memory is left" : "";
  if (fails && this->Surroundings.Chance.Chance(0.8))
  {
    prepared.Lacked = HostMemory::Page * (1 + this->Surroundings.Chance.Below(8));
  }
  this->Tell(prepared);
}

// Reads the snapshot as a reader does.
void Host::Write(const WriteShare& share)
{
  HostMemory::Contents found;
  ShareWritten written;
  written.Ticket = share.Ticket;
  written.Done = true;
  written.HasMoved = !this->Surroundings.Memory.Read(share.Snapshot, found);
  const auto* expected = this->Surroundings.Expected(share.Snapshot.Number);
  if (!written.HasMoved && expected && *expected != found)
  {
    this->Surroundings.Notes.Fail(
      "{} writes snapshot {} to disk, and finds other bytes", this->Peer(), share.Snapshot.Number);
  }
  this->Tell(written);
}

}
