// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"
#include "Encoding/Encoding.h"
#include "Steering/SentArray.h"

#include <string>

/// An array as an HDF5 file that was never on disk: one contiguous dataset.
struct ArrayFile
{
  dsm::Bytes Bytes;
  dsm::FileOffset Elements = 0; ///< where they begin in the file
  std::string Hash;             ///< the SHA-256 of the elements, 64 hexadecimal digits

  /// Makes the file. `elements` are `shape.Bytes()` bytes, that of the slowest index first. Throws
  /// Error(System) if HDF5 cannot make it.
  static ArrayFile Make(
    const std::string& name, const dsm::ArrayShape& shape, const void* elements);
};
