// SPDX-License-Identifier: BSD-3-Clause
// The coordinator's part in "write to disk now": which snapshot an order means, held until it is
// written. Who writes is somebody else (Archive/DiskWriter), since that takes its time.
#include "Session/Coordinator.h"

#include "Base/Error.h"
#include "Base/FileName.h"

#include <algorithm>

namespace dsm
{

// Called by the steering desk, which answers the viewer: empty, or why it cannot be done.
std::string Coordinator::OrderSave(std::uint64_t ticket, const Json& request)
{
  const auto when = request.value("when", std::string("newest"));
  SaveOrder order{ ticket, request.value("path", std::string()),
    request.value("file", std::string("*")), {} };
  if (when != "newest" && when != "next")
  {
    return fmt::format("can be newest (the last snapshot) or next, not \"{}\"", when);
  }
  const std::lock_guard lock(this->Guard);
  if (!this->Saving)
  {
    return "this server writes no files: the program that hosts it offers none";
  }
  if (when == "next")
  {
    this->AwaitedSaves.push_back(std::move(order));
    return {};
  }
  const auto all = this->Snapshots.All();
  const auto found = std::find_if(all.rbegin(), all.rend(),
    [&](const SnapshotDescription& one) { return MatchesPattern(order.File, one.FileName); });
  if (found == all.rend())
  {
    return all.empty() ? std::string("needs a snapshot, and there is none yet: ask for the next")
                       : fmt::format("finds no snapshot of a file that fits \"{}\"", order.File);
  }
  order.Snapshot = *found;
  this->Snapshots.Hold(found->Number);
  this->ReadySaves.push_back(std::move(order));
  this->Changed.notify_all();
  return {};
}

// A new snapshot may be the one that orders wait for.
void Coordinator::MeetSaveOrders(const SnapshotDescription& snapshot)
{
  std::erase_if(this->AwaitedSaves,
    [&](SaveOrder& order)
    {
      const bool met = MatchesPattern(order.File, snapshot.FileName);
      if (met)
      {
        this->Snapshots.Hold(snapshot.Number);
        order.Snapshot = snapshot;
        this->ReadySaves.push_back(std::move(order));
      }
      return met;
    });
}

void Coordinator::OfferSaving(bool offered)
{
  const std::lock_guard lock(this->Guard);
  this->Saving = offered;
  this->Changed.notify_all();
}

std::optional<SaveOrder> Coordinator::WaitForSaveOrder()
{
  std::unique_lock lock(this->Guard);
  this->Changed.wait(
    lock, [this] { return !this->Door || !this->Saving || !this->ReadySaves.empty(); });
  if (!this->Door || this->ReadySaves.empty())
  {
    return std::nullopt; // what was ordered before the end is still written
  }
  auto order = std::move(this->ReadySaves.front());
  this->ReadySaves.pop_front();
  return order;
}

void Coordinator::SaveDone(
  const SaveOrder& order, const std::string& path, const std::string& failure)
{
  {
    const std::lock_guard lock(this->Guard);
    this->Snapshots.LetGo(order.Snapshot.Number, false);
    if (!failure.empty())
    {
      this->Report(failure);
    }
    this->RetryWaiting();
  }
  Outcome outcome;
  outcome.Number = order.Ticket;
  outcome.Applied = failure.empty();
  outcome.Step = static_cast<std::int64_t>(order.Snapshot.Step);
  if (outcome.Applied)
  {
    outcome.Detail = { { "path", path }, { "snapshot", order.Snapshot.Number },
      { "file", order.Snapshot.FileName }, { "bytes", order.Snapshot.FileSize } };
  }
  else
  {
    outcome.Refusals.push_back({ "write to disk", failure });
  }
  this->Steered.Saved(std::move(outcome));
}

}
