// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/RoundUp.h"
#include "Mapping/AddressMap.h"
#include "Mapping/AsideBytes.h"
#include "Memory/DiskWindows.h"
#include "Memory/Segment.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// What the hosts must do before a slot can take a new image, in this order.
struct CleaningPlan
{
  /// Bytes [Begin, End) of a slot on each host; of those that are not listed, none. Slots end
  /// where they end, whatever End says.
  struct Range
  {
    SlotIndex Slot = 0;
    std::vector<std::uint64_t> Begin;
    std::vector<std::uint64_t> End;

    bool IsEmpty() const;
  };
  /// A slot's bytes are another's from now on: SegmentLayout::Generations.
  struct Generation
  {
    SlotIndex Slot = 0;
    std::uint64_t Number = 0;
  };
  /// Bytes of another slot that go to this one, for each host.
  struct Copying
  {
    SlotIndex Slot = 0;
    std::vector<std::vector<AsideBytes::Moved>> Bytes;

    bool IsEmpty() const;
  };
  std::vector<Generation> Raise;
  std::vector<Range> Release; ///< give these pages back to the system
  std::vector<Range> Forget;  ///< what is not needed any more of what is on disk
  Range OnDisk;               ///< make room for these bytes on disk, or say that there is none
  std::string Folder;         ///< where that disk is
  Range Reserve;              ///< make these pages exist, or say that memory has run out
  Range Zero;                 ///< the slot's old contents
  Range Stale;                ///< or to be noted as such, so that those who write there clear it
  Copying Copy;               ///< contents of another slot that go to this one
  Range Populate;             ///< pages that the new image will touch; in the background
  bool InWriting = false;     ///< for an image that is being written: its writer may wait for it

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
/// the pages that exist in it (`Resident`), of which an image keeps those it may write or has
/// written (`Kept`). What is granted to an image is reserved: it exists before anybody writes. The
/// sum of all pages never exceeds a host's budget. A slot that becomes free keeps its pages, since
/// warm pages are ten times faster than new ones, as does an image that was granted more than it
/// wrote, until another slot needs the room:
///
///                          .----Reopen----.
///                          v              |
///     Free --Reserve--> Writing --Seal--> Sealed --Free--> Free
///              |            '---------Free---------^
///              '- pages that nobody keeps are released if the budget asks for it
///
/// Pinned memory has pages that stay for ever (MemoryLending): then all slots have the same number
/// of them, which is the most that an image can have on a host, and nothing is ever reserved or
/// released. What was written is all there is to keep account of.
///
/// An image that finds no room may go on on the hosts' disks (Outgrow): what it has there costs no
/// memory, and only DiskWindows keeps account of it.
///
/// An image being written has no pages but those that it was granted, so that none is ever taken
/// from its slot: its writer may have grown by itself when the server seemed to be lost, and nobody
/// would see that bytes of it are gone.
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

  /// What the hosts lend.
  struct Lent
  {
    std::uint64_t Hosts = 0;
    std::uint64_t Budget = 0; ///< bytes of each host
    std::uint64_t Slots = 0;  ///< on each host
    std::uint64_t PageSize = Segment::PageSize();
  };
  explicit Ring(const Lent& lent);

  /// Images may outgrow the memory.
  void OfferDisk(const DiskWindows& windows) { this->Disk = windows; }

  /// The same with pinned memory: `slots` slots of `bytes` bytes on each host.
  static Ring Pinned(std::uint64_t hosts, std::uint64_t bytes, std::uint64_t slots);

  /// Takes the best free slot for an image that is expected to have `expected` bytes and may have
  /// up to `grant`: a clean slot that has its pages, else the one with the most. None when slots or
  /// bytes do not suffice, whatever free slots give back; then a snapshot has to go first.
  struct Reservation
  {
    SlotIndex Slot = 0;
    std::uint64_t Generation = 0; ///< of the slot, as long as the image has it
    CleaningPlan Plan;
    /// Bytes on each host, from the slot's beginning, that may hold old contents; none where
    /// nothing may.
    std::vector<std::uint64_t> Stale;
  };
  /// `clears`: those who write the image clear what is old by themselves (StaleChunks).
  std::optional<Reservation> Reserve(
    const AddressMap& map, std::uint64_t expected, std::uint64_t grant, bool clears = false);

  /// \name Slots for what is put aside of an image's slot (AsideBytes)
  /// They are sealed from the beginning: nobody but the hosts writes there.
  ///@{
  using Sizes = std::vector<std::uint64_t>; ///< bytes, for each host

  /// None when slots or bytes do not suffice. The hosts copy all that the slot then has.
  std::optional<Reservation> ReserveAside(const Sizes& bytes);

  /// Raises how much there is to `bytes`. The slot is of another generation then, since it holds
  /// something else. None when there is no room.
  std::optional<Reservation> WidenAside(SlotIndex slot, const Sizes& bytes);

  void FreeAside(SlotIndex slot);

  bool HasRoomAside(const Sizes& bytes) const;
  ///@}

  /// True when an image of that size could be placed if nothing else were in the ring.
  bool CouldEverFit(const AddressMap& map, std::uint64_t bytes) const;

  /// Returns how many files of this size the hosts could have at once.
  std::uint64_t MostFiles(const AddressMap& map, std::uint64_t bytes) const;

  /// The most file bytes a new image, or the one being written in `slot`, could have right now.
  std::uint64_t Room(const AddressMap& map, std::optional<SlotIndex> slot = {}) const;

  /// A sealed slot is written further: its image begins as a file of `bytes` bytes, which stay, and
  /// may have up to `grant`. What the slot has behind these bytes is cleared. It is of another
  /// generation then. None when there is no room.
  std::optional<Reservation> Reopen(
    SlotIndex slot, const AddressMap& map, std::uint64_t bytes, std::uint64_t grant);

  /// Raises what an image being written may use. False when there is no room; else `plan` says what
  /// to do before.
  bool Extend(SlotIndex slot, const AddressMap& map, std::uint64_t bytes, CleaningPlan& plan);

  /// The image being written in a slot may go on on disk. Where: its address map is to have that
  /// share from now on, from any address that it has not reached. None where there is no disk, or
  /// too many others do.
  std::optional<DiskShare> Outgrow(SlotIndex slot);

  /// What is on disk and is not needed any more, since this was last called: before anything else
  /// is done.
  CleaningPlan TakeForgotten();

  /// Takes back what Extend granted, since the hosts could not get the memory for it. What some did
  /// get is not counted, and stays as long as the image: see above.
  void Shrink(SlotIndex slot, const AddressMap& map, std::uint64_t bytes);

  /// The image has `reach` bytes: what was granted beyond becomes free for others. Pages that exist
  /// and were never counted are to be given back.
  CleaningPlan Seal(SlotIndex slot, const AddressMap& map, std::uint64_t reach);

  /// The slot's contents are no longer needed. `reach`: the most bytes that may have been written.
  /// To be given back as with Seal.
  CleaningPlan Free(SlotIndex slot, const AddressMap& map, std::uint64_t reach);

  /// The slot's writer was lost, or writes no more, and its first `bytes` are still wanted: it may
  /// write there as long as these stay, but nothing that was granted to it beyond is kept.
  CleaningPlan Freeze(SlotIndex slot, const AddressMap& map, std::uint64_t bytes);

  /// The slot's writer was lost: frees it; the pages to give back are all it may have touched.
  /// Since a straggler might still write there, the slot is taken again only when no other is free,
  /// and its pages are given back once more then.
  CleaningPlan Discard(SlotIndex slot);

  /// Changes what each host lends. What is in use stays, even if it is more than that; pages that
  /// nobody keeps and that are too many now are to be given back: the result.
  CleaningPlan SetBudget(std::uint64_t budget);

  /// \name What the hosts' machines have
  /// A host that cannot get the memory that it lends has a limit below the budget.
  ///@{
  /// Limits a host to what it has, since it lacked `bytes` bytes of what it was to reserve.
  void Limit(HostIndex host, std::uint64_t bytes);
  /// Lifts all limits. Returns them, and the largest number for each host that has none.
  std::vector<std::uint64_t> LiftLimits();
  bool IsLimited() const { return !this->Limits.empty(); }
  /// Gives back pages that nobody keeps until no host has more than it may.
  CleaningPlan ReleaseExcess();
  /// Returns true if what is kept is no more than the hosts may have.
  bool IsWithinLimits() const;
  ///@}

  /// It is not known what a host has done: all its pages that nobody keeps are to be given back.
  /// Not those of images being written, which may have grown by themselves.
  CleaningPlan ReleaseAllSpare(HostIndex host);

  /// The same for an image being written: the pages that it shall have on a host exist then.
  CleaningPlan ReserveAgain(SlotIndex slot, HostIndex host) const;

  /// Makes a free slot ready ahead of its next image: as Reserve, but the slot stays free.
  std::optional<Reservation> Prepare(
    const AddressMap& map, std::uint64_t expected, std::uint64_t grant, bool clears = false);

  /// How much to make ready ahead: bytes.
  struct Ahead
  {
    std::uint64_t Expected = 0; ///< of an image
    std::uint64_t Most = 0;     ///< on each host
    std::uint64_t Piece = 0;    ///< on a host, at a time
    bool UntilHalf = false;     ///< half of it is enough for now
  };
  /// What there is to make ready ahead of images that will likely have `Expected` bytes: the next
  /// pages of free slots, `Piece` bytes on a host or a little more, of small images' slots several
  /// at once, unless none is ready. None when free slots have as much as such images need of `Most`
  /// bytes on each host already, or more than half as many have it and that is enough for now
  /// (`UntilHalf`) or images are small and each slot is ready or untouched; nor where there is no
  /// room that nobody else has. Nothing is taken from anybody for it.
  std::vector<CleaningPlan::Range> Warm(const AddressMap& map, const Ahead& ahead);

  /// Those exist. Until this is said, other slots are taken first.
  void NoteWarm(const std::vector<CleaningPlan::Range>& pages);

  /// The hosts could not: of a free slot, that it has no pages, which are to be given back.
  CleaningPlan ForgetPages(SlotIndex slot);

  /// The most bytes that an image could have in a free slot without new pages.
  std::uint64_t Ready(const AddressMap& map) const;

  /// The hosts are to know the generation of every slot.
  CleaningPlan RaiseAll();

  State SlotState(SlotIndex slot) const
  {
    return slot < this->Slots.size() ? this->Slots[slot].What : State::Free;
  }
  std::uint64_t Generation(SlotIndex slot) const { return this->Slots[slot].Generation; }
  std::uint64_t Used(HostIndex host) const;
  std::uint64_t UsedByAll() const;
  /// Bytes that exist, used or not.
  std::uint64_t Resident(HostIndex host) const;
  /// Room that was taken on the hosts' disks, bytes.
  std::uint64_t OnDiskByAll() const;
  std::uint64_t Budget() const { return this->HostBudget; }
  /// The most bytes that an image could have on a host.
  std::uint64_t Largest() const { return this->IsPinned() ? this->PinnedBytes : this->HostBudget; }
  bool IsPinned() const { return this->PinnedBytes > 0; }
  std::uint64_t Hosts() const { return this->HostCount; }
  std::uint64_t Count() const { return this->SlotCount; }

private:
  // All are per host, and count from the slot's beginning.
  struct Slot
  {
    State What = State::Free;
    bool Doubtful = false;               ///< a lost writer may still write here
    bool Uncounted = false;              ///< pages beyond Resident may exist
    bool Warming = false;                ///< some of Resident are only being made
    bool HadAside = false;               ///< it has, or had last, what was put aside
    std::uint64_t Generation = 0;        ///< counts those that have had the slot
    std::uint64_t Raised = 0;            ///< the generation that the hosts were told
    std::vector<std::uint64_t> Kept;     ///< what a running image may reach, or a sealed one has
    std::vector<std::uint64_t> Resident; ///< pages that exist
    std::vector<std::uint64_t> Dirty;    ///< may be other than zero
    /// The generation for which the hosts know Dirty (CleaningPlan::Stale).
    std::optional<std::uint64_t> Noted;
  };

  Slot Untouched() const;
  void KeepOneUntouched(std::uint64_t taken);
  /// In memory.
  Sizes LocalSizes(const AddressMap& map, std::uint64_t bytes) const;
  Sizes DiskSizes(const AddressMap& map, std::uint64_t bytes) const;
  void KeepOnDisk(SlotIndex slot, const Sizes& bytes);
  void FreeDisk(SlotIndex slot);
  void ExtendOnDisk(SlotIndex slot, const Sizes& bytes, CleaningPlan& plan);
  /// Where the last page ends that has some of a slot's first bytes: it stays when all behind these
  /// is given back, and with it what else it holds.
  std::uint64_t PagesEnd(std::uint64_t bytes) const { return RoundUp(bytes, this->PageSize); }
  /// What an untouched slot has: without pinned memory, nothing.
  Sizes WholeSlot() const { return Sizes(this->HostCount, this->PinnedBytes); }
  Sizes Nothing() const { return Sizes(this->HostCount, 0); }
  std::optional<SlotIndex> Choose(const Sizes& need, bool clears = false) const;
  std::optional<SlotIndex> ChooseAside(const Sizes& bytes) const;
  std::optional<Reservation> MakeReady(std::optional<SlotIndex> slot, const Sizes& expected,
    const Sizes& granted, bool clears = false);
  /// What the pages of a slot are worth to an image that needs so much.
  struct Worth
  {
    std::uint64_t Useful = 0; ///< bytes that it needs and the slot has, on all hosts
    std::uint64_t Idle = 0;   ///< bytes beyond those, which others may want

    /// One that would give most of its pages back is for larger images.
    bool IsForLarger() const { return this->Idle > this->Useful; }
  };
  Worth WorthOf(const Slot& slot, const Sizes& need) const;
  struct ColdSlot;
  ColdSlot MostAdvanced(const Sizes& need) const;
  bool MakeRoom(SlotIndex slot, const Sizes& need, CleaningPlan& plan);
  void ReleaseBeyond(SlotIndex slot, const Sizes& wanted, CleaningPlan& plan);
  void Raise(SlotIndex slot, CleaningPlan& plan);
  void ReleaseDoubtful(SlotIndex slot, CleaningPlan& plan);
  void KeepAside(Slot& slot, const Sizes& bytes) const;
  CleaningPlan EndWriter(SlotIndex slot, State state, const Sizes& kept);
  CleaningPlan::Range ReserveUpTo(SlotIndex slot, const Sizes& end);
  Sizes KeptByAll() const;
  bool Fits(SlotIndex slot, const Sizes& need, const Sizes& keptByAll) const;
  template <typename Predicate>
  static std::uint64_t LargestFile(const AddressMap& map, const Predicate& fits);
  Sizes PagesWith(SlotIndex slot, const Sizes& need) const;
  bool Exceed(const Sizes& pages) const;
  std::uint64_t MostOn(HostIndex host) const;
  void ReleaseSpare(SlotIndex slot, Sizes& pages, CleaningPlan& plan);

  std::uint64_t HostCount;
  std::uint64_t HostBudget;
  std::uint64_t PageSize;
  std::uint64_t SlotCount;
  /// Those that were ever taken, and one that was not, which stands for the rest: that one is taken
  /// before any behind it. There may be thousands, and all of these are gone through for each
  /// image.
  std::uint64_t PinnedBytes = 0; ///< of each slot; 0: pages come and go
  std::vector<Slot> Slots;
  Sizes Limits; ///< of each host; empty if none has one
  DiskWindows Disk;
  std::vector<CleaningPlan::Range> Forgotten;
  std::vector<SlotIndex> FreedAside; ///< whose generations the hosts may not know yet
};

}
