// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace dsm
{

/// How far a rank has come with its pieces when a round of PieceExchange begins. All None: it has
/// nothing, or its pieces do not come by rising address; nobody heeds it, and it heeds nobody.
struct RoundReach
{
  static constexpr std::uint64_t None = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t Begin = None; ///< the lowest address it has for this round
  std::uint64_t End = None;   ///< behind the highest
  std::uint64_t Next = None;  ///< where it goes on in another round, if it does
};

/// Up to which address ranks move what they have in a round of PieceExchange.
///
/// A round ends when one rank has no more room, and those with fewer bytes in the same part of the
/// file are ahead of it by then. Were all to move what they have, there would be holes where it
/// goes on, and both rounds would consist of small pieces. So nobody goes on beyond where another
/// will, as long as that is within what he has himself:
///
///     rank 0   aa aa aa aa|                Next of 0        rank 0 fills the round with two
///     rank 1     b  b  b  b| .  .  .  .                     columns; 1 keeps its last four pieces
///     rank 2                                dddddd          elsewhere: moves all
///
/// The rank whose Next is lowest always moves all it has. Pure arithmetic, the same on all ranks.
class RoundLimits
{
public:
  explicit RoundLimits(std::span<const RoundReach> ranks);

  /// What a rank has from this address on it keeps for the next round; None: it keeps nothing.
  std::uint64_t Of(const RoundReach& rank) const;

  /// Whether some rank may keep something.
  bool Keep() const { return this->SomeKeep; }

private:
  std::vector<std::uint64_t> Nexts; ///< sorted
  bool SomeKeep;
};

}
