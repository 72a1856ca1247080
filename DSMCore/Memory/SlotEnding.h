// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/SharedNumber.h"

#include <cstdint>

namespace dsm
{

/// How an image ended: its server sealed it, or its writer gave it up, since the server did not
/// answer. And of a sealed one, whether it is kept whatever becomes of its server: it is saved, or
/// somebody has undertaken to save it.
///
/// The answer alone may be lost, or the server be stopped half way; so whoever maps this number
/// asks nobody: of the two, the first counts, and the other learns of it. What agreement by
/// messages cannot reach over a link that fails (J. Gray, "Notes on data base operating systems",
/// 1978, section 5.8.3.3) one number that both reach can.
class SlotEnding
{
public:
  enum class Kind : std::uint64_t
  {
    Sealed,
    GivenUp,
    Kept,
    Alone ///< given up as well: see GoAlone
  };

  explicit SlotEnding(SharedNumber number)
    : Number(number)
  {
  }

  /// Ends the image that has the slot in that generation, unless it has ended already. Returns how
  /// it has ended. Any number of processes may do so at once. A slot's generations only grow; the
  /// ending of an earlier one than the last that ended is not known any more, and counts as given
  /// up.
  Kind Decide(std::uint64_t generation, Kind wish) const;

  /// Of an image that may be sealed, and whose server may have ended since: who sees to it that it
  /// is not lost. Kept: whoever asks does so, or has done it. GivenUp: its writer does, which has
  /// all its bytes. The first counts.
  Kind Undertake(std::uint64_t generation, Kind wish) const;

  /// Returns true if the image that had the slot in that generation has ended, however it did.
  bool HasEnded(std::uint64_t generation) const;

  /// Before an image has ended: its server does not answer, and its writer is going to change bytes
  /// that the server has promised others to keep. From then on it counts as given up.
  void GoAlone(std::uint64_t generation) const { this->Decide(generation, Kind::Alone); }

  /// Behind what was read of such bytes: whether they may have changed, in the slot's generation in
  /// which they were shared, or a later one that began with them.
  bool IsAlone(std::uint64_t generation) const;

private:
  Kind End(std::uint64_t generation, Kind wish, bool sealedToo) const;

  SharedNumber Number;
};

}
