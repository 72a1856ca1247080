// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Handle.h"
#include "Describe/Numbers.h"
#include "Describe/Source.h"
#include "Describe/SourceSelection.h"

#include <string>
#include <vector>

namespace dsm::describe
{

/// An open dataset of numbers, whether its elements are numbers, enumerations, arrays, or compounds
/// with a member of these.
class StoredDataset
{
public:
  /// Throws dsm::Error if there is no such dataset in the file.
  StoredDataset(hid_t file, const Stored& from);

  /// Returns the shape. That of elements that are arrays is its end.
  const std::vector<hsize_t>& Shape() const;

  /// Returns the shape of a chunk, likewise; empty if the dataset is not in chunks.
  const std::vector<hsize_t>& Chunk() const;

  /// Returns the type that holds the numbers.
  Number Type() const;

  /// The numbers of a selection as they lie in the file.
  struct Place
  {
    hdf5::FileHandle File;
    std::uint64_t Address = 0; ///< of the first, from the file's first byte
    std::uint64_t Bytes = 0;
    std::string Why{}; ///< not empty if Read has to read them: a clause, such as "it is compressed"
  };

  /// Returns where the numbers lie if the file has what Read would return: consecutive, and of this
  /// type.
  Place PlaceOf(const Selection& selection, Number as) const;

  /// Reads what is selected as numbers of this type.
  void Read(const Selection& selection, Number as, void* to) const;

private:
  std::string WhyNotInPlace(hid_t creation, const Selection& selection, Number as) const;
  void ReadNumbers(const Selection& selection, Number as, void* to) const;
  void ReadEnumeration(hid_t memory, hid_t space, std::uint64_t count, Number as, void* to) const;

  // Reads elements that are arrays. HDF5 reads arrays whole: what is wanted of them is gathered
  // from a copy.
  void ReadArrays(const Selection& selection, Number as, void* to) const;
  [[noreturn]] void ThrowUnreadable() const;

  std::string Path, Member;
  hdf5::DatasetHandle Id;
  hdf5::TypeHandle Element;   ///< of a number: of the member, for a compound; of an array's element
  std::vector<hsize_t> Array; ///< the shape of an element that is an array
  std::vector<hsize_t> Extent;
  std::vector<hsize_t> Chunks;
};

}
