// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Doorbell.h"
#include "Base/Error.h"
#include "Memory/MappedEntry.h"
#include "Memory/ReaderGate.h"
#include "Memory/Segment.h"
#include "Memory/SegmentLayout.h"
#include "Memory/SlotEnding.h"
#include "Protocol/Descriptions.h"
#include "Server/Core/SlotSignals.h"

#include <cstdint>
#include <string>

namespace dsm
{

/// The core's end of SharedGrants, SlotFence and AnswerWait: numbers in host 0's memory. Each is
/// read and written at once, whichever thread does it.
class SlotBoard final : public SlotSignals
{
public:
  /// `memory`: host 0's, which must outlive this.
  SlotBoard(const Segment& memory, const SegmentLayout& layout);

  /// \name See SlotSignals
  ///@{
  bool DecideSealed(SlotIndex slot, std::uint64_t generation) override;
  bool Disown(SlotIndex slot, std::uint64_t generation) override;
  bool WentAlone(SlotIndex slot, std::uint64_t generation) const override;
  void RaiseGeneration(SlotIndex slot, std::uint64_t generation) override;
  std::uint64_t Wanted(SlotIndex slot, std::uint64_t generation) const override;
  std::uint64_t Reached(SlotIndex slot, std::uint64_t generation) const override;
  std::uint64_t Flushed(SlotIndex slot, std::uint64_t generation) const override;
  void CloseToReaders() override;
  void OpenToReaders() override;
  bool HasReaders(SlotIndex slot) const override;
  void NoteReader(SlotIndex slot) override;
  void CloseSlot(SlotIndex slot) override;
  MappedEntry Mapped(std::uint64_t place) const override;
  void TellGrant(SlotIndex slot, std::uint64_t bytes, const DiskShare& disk) override;
  void TellRefusal(SlotIndex slot, std::uint64_t generation, std::uint64_t bytes, const Error& why,
    const std::string& file) override;
  void Beat() override;
  void CountAnnouncement() override;
  ///@}

  /// How the image in a slot ended.
  SlotEnding Ending(SlotIndex slot) const;

  /// Ranks that wait for an answer look again.
  void RingAnswers() const;

  /// The bell that ranks ring when they want or ask something.
  Doorbell Bell() const;

private:
  SharedNumber Number(const SlotTable& table, SlotIndex slot) const;
  ReaderGate Gate() const;
  std::byte* Signal(SegmentLayout::Signal which) const;
  void Increment(SegmentLayout::Signal which) const;

  const Segment& Memory;
  const SegmentLayout Layout;
};

}
