// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace dsm::readers
{

/// The values of an array: tuples that follow each other.
template <typename T>
struct TupleValues
{
  const T* First = nullptr;
  std::size_t Tuples = 0;
  std::size_t Components = 1;
};

/// The least and the greatest value of each component: of all values that are numbers, and of those
/// that are finite as well. Equal to what vtkDataArray computes in one thread, to the sign of zero.
struct ValueRanges
{
  std::vector<double> All;
  std::vector<double> Finite;
};

/// Computes the ranges of each component. The file is compiled for vector instructions, whatever
/// VTK was compiled for: Debian's takes ten times as long.
template <typename T>
ValueRanges ComponentRanges(const TupleValues<T>& values);

/// Computes the ranges of the tuples' magnitudes: one least and one greatest.
template <typename T>
ValueRanges MagnitudeRanges(const TupleValues<T>& values);

}
