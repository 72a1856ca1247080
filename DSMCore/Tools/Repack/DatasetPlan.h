// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Tools/Hdf5Objects.h"
#include "Tools/Repack/Boxes.h"
#include "Tools/Repack/Filters.h"

#include <cstdint>
#include <vector>

namespace dsm::repack
{

/// What is made of a dataset.
class DatasetPlan
{
public:
  /// `filters`: of large datasets that have none. `minimum`: bytes from which on one is large.
  /// `gathers`: a dataset over parts (IsOverParts) becomes one that has its values itself. Throws
  /// Error(System).
  DatasetPlan(
    hid_t dataset, const std::vector<Filter>& filters, std::uint64_t minimum, bool gathers = false);

  /// Whether it has values that are in its own file and were written.
  bool HasValues() const { return this->Stored; }
  /// HasFixedSize of its type.
  bool IsFixed() const { return this->Fixed; }
  /// Whether it can be divided, and is large enough. Such a one has at least one dimension.
  bool IsLarge() const { return this->Large; }
  /// Whether its chunks can be copied as they are in the file.
  bool KeepsChunks() const { return this->TellsChunks() && this->Added.empty(); }
  /// Whether HDF5 says which chunks there are.
  bool TellsChunks() const { return this->Chunked && !this->Misplaced; }

  const Place& Extent() const { return this->Sizes; }
  /// What is written in one go, as it will be in the new file: chunks, or single values.
  const Place& Unit() const { return this->Units; }
  std::uint64_t ValueSize() const { return this->BytesPerValue; }
  /// All of it.
  Box Whole() const { return { Place(this->Sizes.size()), this->Sizes }; }

  /// \name For a dataset that has this box of it
  ///@{
  Hdf5Object CreationList() const;
  Hdf5Object Space(const Box& box) const;
  ///@}

  /// For a virtual dataset: all of it, of which the files with these names have their parts, each
  /// in a dataset of that path.
  Hdf5Object VirtualList(const std::vector<std::string>& files, const std::string& path) const;

private:
  Hdf5Object Creation;
  Place Sizes;
  Place Most; ///< what it may be extended to
  Place Units;
  std::uint64_t BytesPerValue = 0;
  std::vector<Filter> Added;
  bool Stored = false;
  bool Fixed = false;
  bool Large = false;
  bool Chunked = false;   ///< as it is
  bool Rechunks = false;  ///< it is not, and will be
  bool Misplaced = false; ///< HDF5 says of its chunks that they are where they are not
};

}
