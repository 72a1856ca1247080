// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/SharedNumber.h"

#include <cstdint>

namespace dsm
{

/// How an image ended: its server sealed it, or its writer gave it up, since the server did not
/// answer.
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
    GivenUp
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

private:
  SharedNumber Number;
};

}
