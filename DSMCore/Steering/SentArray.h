// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dsm
{

class Fields;

/// The type of an array's elements, and its sizes, that of the slowest index first.
struct ArrayShape
{
  std::string Element; ///< as NumPy names it: uint8, int32, int64, float32 or float64
  std::vector<std::uint64_t> Sizes;

  /// Returns the bytes of one element. Throws Error(Usage) if the type is none of the above.
  std::uint64_t ElementBytes() const;
  /// Returns the bytes of all elements.
  std::uint64_t Bytes() const;
  /// Returns it for people: "float64 [512, 256]".
  std::string Text() const;

  bool operator==(const ArrayShape&) const = default;
};

/// An array that a viewer has stored in the hosts' memory for a simulation: what a parameter of
/// type array holds. Its elements are the contiguous dataset of an HDF5 file, in the byte order of
/// x86 and Arm.
struct SentArray
{
  ArrayShape Shape;
  std::string Hash;        ///< the SHA-256 of the elements, 64 hexadecimal digits
  SnapshotId Snapshot = 0; ///< the file
  FileOffset Elements = 0; ///< where they begin in the file

  /// Returns the text that travels and stands in the steering log:
  ///
  ///     float64 512x256 sha256:9f86…0a08 snapshot:12 offset:2048
  std::string Text() const;
  /// Reads such a text. Throws Error(Refused) for any other text.
  static SentArray FromText(const std::string& text);
};

/// Files that hold sent arrays end so. Viewers are not told of these.
constexpr const char* SentArraySuffix = ".dsm-array";

/// Returns the name of the file that holds an array for a parameter, among those of a server with
/// that contact file.
std::string SentArrayFile(const std::string& contactPath, std::string parameter);

}
