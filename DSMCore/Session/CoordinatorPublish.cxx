// SPDX-License-Identifier: BSD-3-Clause
// The coordinator's part that makes snapshots, also of files that go on being written, at H5Fflush:
// the hosts copy the image to another slot, each its own bytes, and the copy becomes a snapshot.
#include "Session/Coordinator.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"

#include <chrono>
#include <utility>

namespace dsm
{

// What a snapshot of an image is, but for its number, its step and when it was entered.
SnapshotDescription Coordinator::Describe(const OpenImage& image, const Json& message) const
{
  SnapshotDescription snapshot;
  snapshot.FileName = image.FileName;
  snapshot.FileSize = message.at("size").get<std::uint64_t>();
  snapshot.Slot = image.Slot;
  snapshot.Map = image.Map.Parameters();
  snapshot.Statistics = message.at("statistics").get<WriteStatistics>();
  return snapshot;
}

// What a snapshot gets when it is complete.
void Coordinator::Date(SnapshotDescription& snapshot)
{
  snapshot.SealedAt = Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
  const std::string stream = StreamName(snapshot.FileName);
  snapshot.Step =
    StepFromName(snapshot.FileName).value_or(static_cast<double>(this->StreamCounts[stream]));
  ++this->StreamCounts[stream];
  this->LastSizes[stream] = snapshot.FileSize;
  this->Count(snapshot.Statistics);
}

std::uint64_t Coordinator::Enter(SnapshotDescription snapshot)
{
  const auto& entered = this->Snapshots.Add(std::move(snapshot));
  this->MeetSaveOrders(entered);
  this->Changed.notify_all();
  return entered.Number;
}

void Coordinator::Publish(const PeerId& peer, const Json& message)
{
  this->Known(peer);
  if (this->HostLost)
  {
    throw Error(Fault::PeerLost,
      "the DSM server has lost a host, and with it a part of the file being written ({}): restart "
      "ParaView's side",
      this->Counters.LastError);
  }
  this->DropCopies(message.at("image").get<std::uint64_t>());
  this->TryOrWait(peer, message, [this, peer, message] { return this->TryPublish(peer, message); });
}

// True when the request has been dealt with. A simulation waits for its viewer only where the
// policy says so, and never when that could not help: the file itself is in no danger.
bool Coordinator::TryPublish(const PeerId& peer, const Json& message)
{
  OpenImage& image = this->Writing(message);
  SnapshotDescription snapshot = this->Describe(image, message);
  const std::uint64_t size = snapshot.FileSize;
  // The newest flush of a file may use the place that the file itself has among the snapshots.
  const auto enough = [&](const Ring& memory, std::uint64_t snapshots)
  {
    return snapshots + this->Images.size() + this->Copies.size() <=
      this->Options.MaximumSnapshots &&
      memory.Room(image.Map) >= size;
  };
  std::optional<Ring::Reservation> reserved;
  if (this->MakeRoom(enough))
  {
    reserved = this->Memory.ReserveCopy(image.Slot, image.Map, size);
  }
  if (!reserved)
  {
    Ring without = this->Memory;
    for (const auto& kept : this->Snapshots.All())
    {
      without.Discard(kept.Slot);
    }
    const bool never = !enough(without, 0);
    if (this->Options.WhenFull == FullRing::Block && !never)
    {
      return false;
    }
    const std::string why = fmt::format("a flush of {} ({}) could not be shown: {}. {}",
      image.FileName, environment::FormatBytes(size), this->FullText(),
      never ? "A copy needs as much memory again as the file: raise the memory per host, or show "
              "files when they are closed"
            : "Viewers hold all snapshots open, or the memory per host must grow");
    if (!std::exchange(image.ToldUnpublished, true))
    {
      this->Report(why);
    }
    this->Door->Reply(peer, message, { { "skipped", why } });
    return true;
  }
  const std::uint64_t ticket = ++this->LastCopy;
  const std::uint64_t slot = snapshot.Slot = reserved->Slot;
  this->Copies[ticket] = { message.at("image").get<std::uint64_t>(), image.Map,
    std::move(snapshot) };
  this->Keeper.Carry(reserved->Plan, slot,
    [this, peer, message, ticket](const std::string& failure)
    {
      if (!this->Copies.contains(ticket))
      {
        return; // its writer has gone, or has given up waiting
      }
      if (failure.empty())
      {
        this->Door->Reply(peer, message, { { "copy", ticket } });
        return;
      }
      this->DropCopies(this->Copies.at(ticket).Image);
      this->Door->Refuse(peer, message, Error(Fault::System, "{}", failure));
    });
  return true;
}

void Coordinator::Confirm(const PeerId& peer, const Json& message)
{
  const auto found = this->Copies.find(message.at("copy").get<std::uint64_t>());
  if (found == this->Copies.end())
  {
    this->Writing(message); // throws where that is why
    throw Error(Fault::Refused, "the DSM server has discarded the copy made at a flush");
  }
  FlushCopy copy = std::move(found->second);
  this->Copies.erase(found);
  this->Memory.Seal(copy.Snapshot.Slot, copy.Map, copy.Snapshot.FileSize);
  this->Date(copy.Snapshot);
  const std::string file = copy.Snapshot.FileName;
  const std::uint64_t number = this->Enter(std::move(copy.Snapshot));
  this->Door->Reply(peer, message, this->WithNews(peer, { { "number", number } }));
  this->RetryWaiting();
  this->PrepareNext(file);
}

// A file whose last flush shows all there is: it is closed, and no snapshot more.
void Coordinator::Finish(const PeerId& peer, const Json& message)
{
  this->Known(peer);
  const OpenImage image = this->Writing(message);
  const auto number = message.at("image").get<std::uint64_t>();
  this->DropCopies(number);
  this->Images.erase(number);
  this->Memory.Free(image.Slot, image.Map, message.at("reach").get<std::uint64_t>());
  this->Door->Reply(peer, message, Json::object());
  this->Changed.notify_all();
  this->RetryWaiting();
}

// Copies of an image that nobody confirmed. The hosts may still be at it: they clear the slot
// afterwards, since they work through their tasks in order.
void Coordinator::DropCopies(std::uint64_t image)
{
  for (auto copy = this->Copies.begin(); copy != this->Copies.end();)
  {
    if (copy->second.Image != image)
    {
      ++copy;
      continue;
    }
    const std::uint64_t slot = copy->second.Snapshot.Slot;
    copy = this->Copies.erase(copy);
    CleaningPlan plan;
    plan.Release.push_back(this->Memory.Discard(slot));
    this->Keeper.Carry(plan, slot, {});
  }
}

}
