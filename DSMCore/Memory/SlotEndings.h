// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace dsm
{

/// How the image in a slot ended: a table of 64-bit numbers behind the slots' generations, of which
/// that of host 0 counts.
///
/// A server seals an image, and its writer gives an image up when the server does not answer. The
/// answer alone may be lost, or the server be stopped half way; so whoever maps this table asks
/// nobody: of the two, the first counts, and the other learns of it. What agreement by messages
/// cannot reach over a link that fails (J. Gray, "Notes on data base operating systems", 1978,
/// section 5.8.3.3) one word that both reach can.
class SlotEndings
{
public:
  enum class Ending : std::uint64_t
  {
    Sealed,
    GivenUp
  };

  SlotEndings(std::uint64_t slotSize, std::uint64_t slotCount);

  /// Bytes of a segment with all slots, their generations and this table.
  std::uint64_t SegmentSize() const { return this->OffsetOf(this->Count); }

  /// Where a slot's number is in a segment.
  std::uint64_t OffsetOf(std::uint64_t slot) const
  {
    return this->Begin + slot * sizeof(std::uint64_t);
  }

  /// Ends the image that has the slot in that generation, unless it has ended already. Returns how
  /// it has ended. Any number of processes may do so at once. A slot's generations only grow; the
  /// ending of an earlier one than the last that ended is not known any more, and counts as given
  /// up.
  static Ending Decide(std::byte* word, std::uint64_t generation, Ending wish);

private:
  std::uint64_t Begin;
  std::uint64_t Count;
};

}
