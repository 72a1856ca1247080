// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Doorbell.h"
#include "Base/Error.h"
#include "Memory/Segment.h"
#include "Memory/SegmentLayout.h"
#include "Memory/SlotEnding.h"
#include "Protocol/Descriptions.h"

#include <cstdint>
#include <string>

namespace dsm
{

/// What the coordinator says of slots, and hears of the images in them, by numbers in host 0's
/// memory: its end of SharedGrants, of SlotFence and of AnswerWait. Each number is read and written
/// at once, whichever thread does it.
class SlotBoard
{
public:
  /// `memory`: host 0's, which must outlive this.
  SlotBoard(const Segment& memory, const SegmentLayout& layout);

  /// How the image in a slot ended.
  SlotEnding Ending(std::uint64_t slot) const;

  /// From now on nobody takes a slot for what it was in an earlier generation.
  void RaiseGeneration(std::uint64_t slot, std::uint64_t generation) const;

  /// \name What ranks say of the image that has a slot in that generation: bytes; 0: nothing yet
  ///@{
  std::uint64_t Wanted(std::uint64_t slot, std::uint64_t generation) const;
  std::uint64_t Reached(std::uint64_t slot, std::uint64_t generation) const;
  ///@}

  /// They may write so many bytes, and what of these is on disk.
  void TellGrant(std::uint64_t slot, std::uint64_t bytes, const DiskShare& disk) const;

  /// So many bytes, or more, are refused. What is wanted is forgotten, for others may want less.
  /// `file`: whose ranks these are, for the log, where there is no room for the words.
  void TellRefusal(std::uint64_t slot, std::uint64_t generation, std::uint64_t bytes,
    const Error& why, const std::string& file) const;

  /// Whoever waits for an answer looks again.
  void RingAnswers() const;

  /// What ranks ring when they want or ask something.
  Doorbell Bell() const;

  /// The coordinator is there.
  void Beat() const;

private:
  SharedNumber Number(const SlotTable& table, std::uint64_t slot) const;
  std::byte* Signal(SegmentLayout::Signal which) const;

  const Segment& Memory;
  const SegmentLayout Layout;
};

}
