// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/AddressMap.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace dsm
{

/// What the hosts must do before a slot can take a new image, in this order.
struct CleaningPlan
{
  struct Range
  {
    std::uint64_t Slot = 0;
    std::vector<std::uint64_t> Bytes; ///< per host, from the slot's beginning
  };
  std::vector<Range> Release; ///< give these pages back to the system
  Range Zero;                 ///< the slot's old contents
  Range Copy;                 ///< contents of another slot that go to the same places of this one
  Range Populate;             ///< pages that the new image will want; in the background

  /// True when the slot can be written at once: only populating may be left to do.
  bool IsClean() const;
  /// True when there is nothing to do at all.
  bool IsEmpty() const;
};

/// The accounting of the hosts' memory: which slot holds what, and how many bytes each costs each
/// host. Pure arithmetic: no thread, no message, no memory of its own, so it can be tested
/// completely.
///
/// A slot is a range of address space as large as all the memory a host lends; what it costs are
/// the pages that exist in it (`resident`). The sum over the slots never exceeds a host's budget. A
/// slot that becomes free keeps its pages, since warm pages are ten times faster than new ones,
/// until another slot needs the room:
///
///     Free --Reserve--> Writing --Seal--> Sealed --Free--> Free
///              |            '---------Free---------^
///              '- pages of other free slots are released if the budget asks for it
///
/// Not thread safe.
class Ring
{
public:
  enum class State
  {
    Free,
    Writing,
    Sealed
  };

  /// `slots` ranges on each of `hosts` hosts that lend `budget` bytes each.
  Ring(std::uint64_t hosts, std::uint64_t budget, std::uint64_t slots);

  /// Takes the best free slot for an image that is expected to have `expected` bytes and may have
  /// up to `grant`: a clean slot that has its pages, else the one with the most. None when slots or
  /// bytes do not suffice, whatever free slots give back; then a snapshot has to go first.
  struct Reservation
  {
    std::uint64_t Slot = 0;
    CleaningPlan Plan;
  };
  std::optional<Reservation> Reserve(
    const AddressMap& map, std::uint64_t expected, std::uint64_t grant);

  /// Takes a slot for a copy of the first `bytes` of the image in `source`, which has that map.
  std::optional<Reservation> ReserveCopy(
    std::uint64_t source, const AddressMap& map, std::uint64_t bytes);

  /// True when an image of that size could be placed if nothing else were in the ring.
  bool CouldEverFit(const AddressMap& map, std::uint64_t bytes) const;

  /// The most file bytes a new image, or the one being written in `slot`, could have right now.
  std::uint64_t Room(const AddressMap& map, std::optional<std::uint64_t> slot = {}) const;

  /// Raises what an image being written may use. False when there is no room; else `release` names
  /// the pages of free slots to give back before.
  bool Extend(std::uint64_t slot, const AddressMap& map, std::uint64_t bytes,
    std::vector<CleaningPlan::Range>& release);

  /// The image has `reach` bytes: what was granted beyond becomes free for others.
  void Seal(std::uint64_t slot, const AddressMap& map, std::uint64_t reach);

  /// The slot's contents are no longer needed. `reach`: the most bytes that may have been written.
  void Free(std::uint64_t slot, const AddressMap& map, std::uint64_t reach);

  /// The slot's writer was lost: frees it and returns the pages to give back, all it may have
  /// touched. Since a straggler might still write there, the slot is taken again only when no other
  /// is free.
  CleaningPlan::Range Discard(std::uint64_t slot);

  /// Changes what each host lends. What is in use stays, even if it is more than that; the pages of
  /// free slots that are too many now are to be given back: the result.
  std::vector<CleaningPlan::Range> SetBudget(std::uint64_t budget);

  /// Makes a free slot ready ahead of its next image: as Reserve, but the slot stays free.
  std::optional<Reservation> Prepare(const AddressMap& map, std::uint64_t expected);

  State SlotState(std::uint64_t slot) const { return this->Slots[slot].What; }
  std::uint64_t Used(std::uint64_t host) const;
  std::uint64_t UsedByAll() const;
  std::uint64_t Budget() const { return this->HostBudget; }
  std::uint64_t Hosts() const { return this->HostCount; }

private:
  struct Slot
  {
    State What = State::Free;
    bool Clean = true;                   ///< all resident bytes are zero
    bool Doubtful = false;               ///< a lost writer may still write here
    std::vector<std::uint64_t> Granted;  ///< per host; what a running image may reach
    std::vector<std::uint64_t> Resident; ///< per host; pages that exist, from the beginning

    std::uint64_t Cost(std::uint64_t host) const;
  };

  std::vector<std::uint64_t> LocalSizes(const AddressMap& map, std::uint64_t bytes) const;
  std::optional<std::uint64_t> Choose(const std::vector<std::uint64_t>& need) const;
  std::optional<Reservation> MakeReady(
    const std::vector<std::uint64_t>& expected, const std::vector<std::uint64_t>& room);
  bool MakeRoom(std::uint64_t slot, const std::vector<std::uint64_t>& need,
    std::vector<CleaningPlan::Range>& release);
  bool Fits(std::uint64_t slot, const std::vector<std::uint64_t>& need, bool countFree) const;

  std::uint64_t HostCount;
  std::uint64_t HostBudget;
  std::vector<Slot> Slots;
};

}
