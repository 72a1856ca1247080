// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Fields.h"
#include "Mapping/ByteRange.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace dsm
{

/// Bytes of a file that never changes, read before they are asked for: who reads many small pieces
/// that lie together, as what describes a file, asks for most of them without a word to anybody.
/// What it does follows from what it was asked alone: ranks that ask for the same have the same.
class ReadAhead
{
public:
  static constexpr std::uint64_t Window = UINT64_C(64) << 10;
  static constexpr std::uint64_t MostAsked = Window / 4; ///< larger pieces gain nothing

  /// The bytes, where they have been read; valid until Keep. Null otherwise.
  const std::byte* Find(std::uint64_t address, std::uint64_t size) const;

  /// What to read where these bytes are not here, of a file of `end` bytes; none where reading
  /// ahead does not pay: for large pieces, and for one that is not near the last.
  std::optional<ByteRange> Next(std::uint64_t address, std::uint64_t size, std::uint64_t end);

  /// What was read there.
  void Keep(std::uint64_t begin, Bytes bytes);

private:
  std::uint64_t Begin = 0;
  Bytes Here;
  std::optional<std::uint64_t> Last; ///< where something was asked for that was not here
};

}
