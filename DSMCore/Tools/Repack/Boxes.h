// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <vector>

/// Which values of a dataset go where, as arithmetic alone. Arrays have at least one dimension, and
/// none that is empty; a unit is what must not be cut: a chunk, or one value.
namespace dsm::repack
{

/// The sizes of an array, or a place in it: one number for each dimension.
using Place = std::vector<hsize_t>;

/// A part of an array.
struct Box
{
  Place Start;
  Place Count;

  bool IsEmpty() const;
  hsize_t Values() const;
  bool Contains(const Place& place) const;

  bool operator==(const Box&) const = default;
};

/// What one of several files has of an array: whole units that follow one another along the first
/// dimension that has several, as many as the others have or one less. Of an array with too few
/// units some files have nothing. The first part is number 0.
///
///     100 x 50, units 8 x 50, 2 parts     rows 0 to 47 and 48 to 99
///     1 x 64 x 64, units 1 x 1 x 1        the second dimension is divided
Box BoxOfPart(const Place& extent, const Place& unit, std::uint64_t part, std::uint64_t parts);

/// The dimension that is divided.
std::size_t DividedDimension(const Place& extent, const Place& unit);

/// Chunks for an array that has none, of a MiB at most, so that HDF5's cache has room for one, and
/// of at least one value: as many whole rows as fit, or a part of one.
Place ChunkFor(const Place& extent, std::uint64_t valueSize);

/// Cuts a box into smaller ones of at most `limit` bytes, or of one unit, and visits each. The box
/// begins at a unit's beginning.
void ForEachPiece(const Box& box, const Place& unit, std::uint64_t valueSize, std::uint64_t limit,
  const std::function<void(const Box&)>& visit);

}
