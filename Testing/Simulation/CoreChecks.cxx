// SPDX-License-Identifier: BSD-3-Clause
#include "CoreChecks.h"

#include <algorithm>

namespace dsm::simulation
{

void CoreChecks::Check()
{
  this->CheckSlots();
  this->CheckBudget();
  this->CheckGenerations();
}

void CoreChecks::Own(SlotIndex slot, const std::string& who)
{
  const auto [owner, isNew] = this->Owners.emplace(slot, who);
  if (!isNew)
  {
    this->Notes.Fail("slot {} has two owners: {} and {}", slot, owner->second, who);
  }
}

void CoreChecks::CheckSlots()
{
  const Ring& memory = this->Core.Images.Memory();
  this->Owners.clear();
  for (const auto& [number, image] : this->Core.Images.OpenImages())
  {
    this->Own(image.Slot, fmt::format("image {}", number));
    if (memory.SlotState(image.Slot) != Ring::State::Writing)
    {
      this->Notes.Fail("slot {} of image {} is not one that is written", image.Slot, number);
    }
  }
  for (const SnapshotDescription& snapshot : this->Core.Images.Snapshots().All())
  {
    this->Own(snapshot.Slot, fmt::format("snapshot {}", snapshot.Number));
    if (memory.SlotState(snapshot.Slot) != Ring::State::Sealed)
    {
      this->Notes.Fail("slot {} of snapshot {} is not sealed", snapshot.Slot, snapshot.Number);
    }
    if (snapshot.Shared && memory.SlotState(snapshot.Shared->Slot) == Ring::State::Free)
    {
      this->Notes.Fail(
        "slot {} is free, and snapshot {} has bytes there", snapshot.Shared->Slot, snapshot.Number);
    }
  }
}

// When the hosts have done all that they were told, whoever has a description of an image or a
// snapshot finds its slot's generation there.
void CoreChecks::CheckGenerations()
{
  if (!this->Core.Hosts.AreTasksDone() || !this->Core.Presence.Lost.empty())
  {
    return;
  }
  for (const auto& [number, image] : this->Core.Images.OpenImages())
  {
    if (!this->Hosts.IsAt(image.Slot, image.Generation))
    {
      this->Notes.Fail("image {} is of generation {} of slot {}, and a host knows another", number,
        image.Generation, image.Slot);
    }
  }
  for (const SnapshotDescription& snapshot : this->Core.Images.Snapshots().All())
  {
    if (!this->Hosts.IsAt(snapshot.Slot, snapshot.Generation))
    {
      this->Notes.Fail("snapshot {} is of generation {} of slot {}, and a host knows another",
        snapshot.Number, snapshot.Generation, snapshot.Slot);
    }
  }
}

// Memory that is in use when the budget becomes smaller stays.
void CoreChecks::CheckBudget()
{
  const Ring& memory = this->Core.Images.Memory();
  std::uint64_t most = 0;
  for (HostIndex host = 0; host < memory.Hosts(); ++host)
  {
    if (memory.Used(host) > memory.Resident(host))
    {
      this->Notes.Fail("host {} keeps {} bytes, of which {} exist", host, memory.Used(host),
        memory.Resident(host));
    }
    most = std::max(most, memory.Resident(host));
  }
  const std::uint64_t limit = std::max(this->HighestBudget, memory.Budget());
  if (most > limit)
  {
    this->Notes.Fail("a host has {} bytes, and may have {}", most, limit);
  }
  this->HighestBudget = most > memory.Budget() ? limit : memory.Budget();
}

}
