// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Plan.h"

#include <cstdint>
#include <vector>

namespace selections
{

/// What is to be in a dataset: an array in memory on which the steps are done as they say, one
/// element after the other, without HDF5. Elements that nobody wrote are known where HDF5 promises
/// the fill value.
class Contents
{
public:
  explicit Contents(const DatasetPlan& plan);

  /// What all ranks write in a step.
  void Write(const DatasetMove& move, std::uint64_t values);
  void Resize(const Place& extent);

  bool Knows(hsize_t element) const { return this->Known[element]; }
  const std::uint8_t* Element(hsize_t element) const
  {
    return this->Bytes.data() + element * this->Size;
  }

private:
  std::size_t Size;
  bool KnowsFill;
  std::vector<std::uint8_t> Fill;
  Place Extent;
  std::vector<std::uint8_t> Bytes;
  std::vector<bool> Known;
};

/// The fill value of a dataset that is given one.
std::vector<std::uint8_t> FillBytes(const DatasetPlan& plan);

/// Puts what a step writes to an element there.
void WrittenBytes(std::uint64_t values, hsize_t element, std::uint8_t* bytes, std::size_t size);

}
