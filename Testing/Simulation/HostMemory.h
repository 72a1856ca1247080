// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/HostMessages.h"
#include "Server/Core/SlotSignals.h"
#include "Timeline.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dsm::simulation
{

/// The hosts' memory. Each page holds one number in place of its bytes, so a reader sees whether a
/// page is the one that was written. Beside it stand the numbers that the core and the ranks of an
/// image share.
class HostMemory final : public SlotSignals
{
public:
  static constexpr std::uint64_t Page = 4096;
  /// A file's pages, in its order.
  using Contents = std::vector<std::uint64_t>;

  HostMemory(std::uint64_t hosts, std::uint64_t slotSize, const Timeline& time);

  /// \name What ranks write and read
  ///@{
  /// Writes a page of an image. Returns false, and writes nothing, if the page's host has given the
  /// slot to another, as Peer/SlotFence finds.
  bool Write(
    const ImageDescription& image, const AddressMap& map, std::uint64_t page, std::uint64_t what);
  /// Reads all of a snapshot. Returns false if its bytes have moved.
  bool Read(const SnapshotDescription& snapshot, Contents& contents) const;
  /// Returns true if the image has its slot still, as a rank on host 0's machine sees it.
  bool Holds(SlotIndex slot, std::uint64_t generation) const;
  /// Returns true if all hosts know that generation of a slot, or a later one.
  bool IsRaised(SlotIndex slot, std::uint64_t generation) const;
  /// Returns true if all hosts know that generation of a slot.
  bool IsAt(SlotIndex slot, std::uint64_t generation) const;
  ///@}

  /// A host does what it was told. `fails`: it has no memory left.
  void Carry(HostIndex host, const PrepareMemory& order, bool fails);

  /// \name The numbers, as ranks write them
  ///@{
  /// The writer gives its image up. Returns false if that was sealed before.
  bool GiveUp(SlotIndex slot, std::uint64_t generation);
  void Want(SlotIndex slot, std::uint64_t generation, std::uint64_t bytes);
  void Reach(SlotIndex slot, std::uint64_t generation, std::uint64_t bytes);
  std::uint64_t GrantOf(SlotIndex slot) const;
  bool TakeRefusal(SlotIndex slot, std::uint64_t generation);
  /// A reader enters a slot to read it without a message. Returns false if the gate is closed.
  bool Enter(SlotIndex slot);
  void NoteReader(SlotIndex slot) override;
  void CloseSlot(SlotIndex slot) override { this->Closed.insert(slot); }
  /// The slot of a snapshot that was evicted although somebody had entered it, if there was any.
  std::optional<SlotIndex> TornSlot() const { return this->Torn; }
  ///@}

  bool DecideSealed(SlotIndex slot, std::uint64_t generation) override;
  bool Disown(SlotIndex slot, std::uint64_t generation) override;
  bool WentAlone(SlotIndex, std::uint64_t) const override { return false; }
  void RaiseGeneration(SlotIndex slot, std::uint64_t generation) override;
  std::uint64_t Wanted(SlotIndex slot, std::uint64_t generation) const override;
  std::uint64_t Reached(SlotIndex slot, std::uint64_t generation) const override;
  std::uint64_t Flushed(SlotIndex, std::uint64_t) const override { return 0; }
  void CloseToReaders() override { this->IsClosed = true; }
  void OpenToReaders() override { this->IsClosed = false; }
  bool HasReaders(SlotIndex slot) const override;
  void TellGrant(SlotIndex slot, std::uint64_t bytes, const DiskShare& disk) override;
  void TellRefusal(SlotIndex slot, std::uint64_t generation, std::uint64_t bytes, const Error& why,
    const std::string& file) override;
  MappedEntry Mapped(std::uint64_t place) const override;
  /// All viewers have let go of what they map, as a mutant has it.
  void ForgetMapped();
  void Beat() override {}
  void CountAnnouncement() override {}

private:
  using Place = std::pair<SlotIndex, std::uint64_t>; ///< slot and generation

  enum class Ending
  {
    Sealed,
    GivenUp
  };

  std::uint64_t& At(HostIndex host, SlotIndex slot, std::uint64_t offset);
  std::uint64_t At(HostIndex host, SlotIndex slot, std::uint64_t offset) const;
  std::uint64_t GenerationOf(HostIndex host, SlotIndex slot) const;
  void Clear(HostIndex host, const SlotRange& range);

  const std::uint64_t SlotSize;
  const Timeline& Time;
  std::vector<std::map<std::uint64_t, std::uint64_t>> Pages;  ///< of each host, by the address
  std::vector<std::map<SlotIndex, std::uint64_t>> Generation; ///< of each host's slots
  std::map<Place, Ending> Endings;
  std::map<Place, std::uint64_t> Wants;
  std::map<Place, std::uint64_t> Reaches;
  std::map<Place, bool> Refusals;
  std::map<SlotIndex, std::uint64_t> Grants;
  std::map<SlotIndex, std::deque<double>> Readers; ///< when they entered
  mutable std::map<std::uint64_t, std::uint64_t> MappedPlaces;
  std::set<SlotIndex> Closed;
  bool IsClosed = false; ///< to all readers
  std::optional<SlotIndex> Torn;
};

}
