// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Fields.h"
#include "Mapping/ByteRange.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace dsm
{

/// Bytes of a file that never changes, read before they are asked for: who reads many small pieces
/// that lie together, as what describes a file, asks for most of them without a word to anybody.
/// A few places at a time, since a file is read in several by turns. What it does follows from what
/// it was asked alone: ranks that ask for the same have the same.
class ReadAhead
{
public:
  static constexpr std::uint64_t Window = UINT64_C(64) << 10;
  static constexpr std::uint64_t MostWindows = 4;        ///< at once
  static constexpr std::uint64_t MostAsked = Window / 4; ///< larger pieces gain nothing
  static constexpr std::size_t Places = 4;

  /// The bytes, where they have been read; valid until Keep. Null otherwise.
  const std::byte* Find(FileOffset address, std::uint64_t size) const;

  /// What to read where these bytes are not here, of a file of `end` bytes: a window, or for who
  /// goes on where one ends, twice as much as there. None where reading ahead does not pay: for
  /// large pieces, and for one that is near neither the last nor what is here.
  std::optional<ByteRange> Next(FileOffset address, std::uint64_t size, std::uint64_t end);

  /// What was read there, in the place of what has been here for longest.
  void Keep(std::uint64_t begin, Bytes bytes);

private:
  struct Place
  {
    std::uint64_t Begin = 0;
    Bytes Here;
    std::uint64_t End() const { return this->Begin + this->Here.size(); }
  };

  std::array<Place, Places> Kept;
  std::size_t Oldest = 0;
  std::optional<std::uint64_t> Last; ///< where something was asked for that was not here
};

}
