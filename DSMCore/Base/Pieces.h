// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dsm
{

/// Bytes that a transfer moves and that are consecutive at both ends. `Place` is an address in a
/// file, or an offset in a host's segment: who takes pieces says which. It has no default values,
/// so that an array of pieces costs nothing before it is filled: PieceTransfer has one for each
/// call.
struct PutPiece
{
  std::uint64_t Place;
  const std::byte* Memory;
  std::uint64_t Size;

  /// Returns the place of a piece that is at an address.
  FileOffset Address() const { return FileOffset(this->Place); }
};

/// The same the other way.
struct GetPiece
{
  std::uint64_t Place;
  std::byte* Memory;
  std::uint64_t Size;

  /// Returns the place of a piece that is at an address.
  FileOffset Address() const { return FileOffset(this->Place); }
};

/// memcpy of a piece. Of one of a few bytes, calling memcpy would be most of the work; numbers and
/// small groups of them have these sizes.
inline void CopyPiece(std::byte* destination, const std::byte* source, std::uint64_t size)
{
  switch (size)
  {
    case 4:
      std::memcpy(destination, source, 4);
      return;
    case 8:
      std::memcpy(destination, source, 8);
      return;
    case 16:
      std::memcpy(destination, source, 16);
      return;
    case 24:
      std::memcpy(destination, source, 24);
      return;
    default:
      std::memcpy(destination, source, size);
  }
}

}
