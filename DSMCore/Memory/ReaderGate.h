// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/SharedNumber.h"

#include <cstdint>

namespace dsm
{

/// Lets processes begin to read a slot without a message to the server, and the server evict no
/// slot that somebody has begun to read. Two kinds of numbers in host 0's memory do that: each slot
/// has the number of readers that have entered it and of which the server has not heard yet, and
/// one number for all slots says whether the gate is closed.
///
///     a reader                             the server, to evict
///     enters the slot                      closes the gate
///     looks whether the gate is closed     looks whether somebody has entered
///     then it leaves, and asks             then it evicts another, or waits
///
/// Each side writes before it looks, so at least one of them sees the other (E. W. Dijkstra,
/// "Cooperating sequential processes", 1965, section 2.1). The server knows a reader by its lease
/// as soon as it has heard of it, and takes it out of the slot (Leave). A reader that was killed
/// before that counts for ValidMilliseconds.
///
/// Thread safe, across processes.
class ReaderGate
{
public:
  /// Messages need some milliseconds.
  static constexpr std::uint64_t ValidMilliseconds = 10'000;

  /// `gate`: of all slots.
  explicit ReaderGate(SharedNumber gate)
    : Gate(gate)
  {
  }

  /// Enters a slot. Returns false if the gate is closed, or the slot is: nobody has entered then.
  bool Enter(SharedNumber slot) const;

  /// Leaves a slot that was entered once.
  static void Leave(SharedNumber slot);

  /// Whether somebody has entered a slot and not left it. If not, nobody enters it as long as the
  /// gate stays closed.
  static bool HasReaders(SharedNumber slot);

  /// Closes one slot, since what it has is not the newest any more. Those who have entered stay.
  static void CloseSlot(SharedNumber slot);

  /// Opens a slot for what it will have next. Nobody may have entered it.
  static void ResetSlot(SharedNumber slot) { slot.Store(0); }

  void Close() const { this->Gate.Store(1); }
  void Open() const { this->Gate.Store(0); }

private:
  SharedNumber Gate;
};

}
