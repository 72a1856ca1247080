// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dsm
{

/// With what an HDF5 file begins (HDF5 File Format Specification, III.A).
inline constexpr std::string_view Hdf5Signature = "\x89HDF\r\n\x1a\n";

/// The least bytes of a user block, which programs may put before that; a larger one is twice as
/// long as another.
inline constexpr std::uint64_t SmallestUserBlock = 512;

/// How long the user block of a file of so many bytes is: where HDF5 looks for its signature.
/// `read`(address, destination, bytes) reads from it. None: it is no HDF5 file.
template <typename Read>
std::optional<std::uint64_t> UserBlockSize(std::uint64_t fileSize, const Read& read)
{
  for (std::uint64_t at = 0; at + Hdf5Signature.size() <= fileSize;
    at = std::max(SmallestUserBlock, 2 * at))
  {
    std::string found(Hdf5Signature.size(), '\0');
    read(FileOffset(at), reinterpret_cast<std::byte*>(found.data()), found.size());
    if (found == Hdf5Signature)
    {
      return at;
    }
  }
  return std::nullopt;
}

}
