// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

namespace selections
{

/// The sizes of an array, or a place in it: one number per dimension.
using Place = std::vector<hsize_t>;

hsize_t ElementsOf(const Place& extent);

/// "3x4".
std::string Text(const Place& extent);

/// Blocks at regular distances, as H5Sselect_hyperslab takes them.
struct Slab
{
  Place Start;
  Place Stride;
  Place Count;
  Place Block;

  /// All of [begin, end).
  static Slab Box(const Place& begin, const Place& end);
};

/// Which elements of an array a rank moves, in which order. HDF5 is told of it by MakeSpace; what
/// it is to make of that is computed here without HDF5, by Elements: of slabs an element is in or
/// out by the operations one after the other, and the order is that of the array; of points the
/// order is theirs.
struct Selection
{
  enum class Kind
  {
    All,
    None,
    Points,
    Slabs
  };
  struct Term
  {
    H5S_seloper_t How; ///< the first is H5S_SELECT_SET
    Slab What;
  };

  Kind Is = Kind::None;
  Place Extent; ///< of the array
  std::vector<Term> Terms;
  std::vector<hsize_t> Points; ///< as indices of elements in the array's order

  /// The indices of the elements, in the order in which HDF5 moves them.
  std::vector<hsize_t> Elements() const;

  /// A dataspace of this extent with the selection; the caller closes it. Negative on error.
  hid_t MakeSpace() const;

  /// Whether HDF5 finds all the elements again when it takes them chunk by chunk. It does not
  /// always where slabs overlap: of 0, 1, 2, 4, 5, 6 "or" 0, 1, 2, 4, 5, 6, 8, 9, 10 it finds none
  /// from 7 on (H5Scombine_hyperslab, HDF5 1.14.5).
  bool IsFoundInChunks(const Place& chunk) const;

  /// The calls that make it, for people.
  std::string ToText() const;
};

}
