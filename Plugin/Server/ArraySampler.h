// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ArrayParts.h"
#include "GridLayout.h"
#include "Steering/SentArray.h"

#include <vtkDataObject.h>
#include <vtkSmartPointer.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

class vtkDataArray;
class vtkDataSet;

/// Takes the values of one array of a data object for a declared shape: as they are, or resampled.
/// See vtkDSMSampledArray for the rules.
class ArraySampler
{
public:
  /// Names an array of a data set.
  struct Source
  {
    std::string Name;
    int Association = vtkDataObject::POINT;

    /// Returns null if the data set does not have the array.
    vtkDataArray* Find(vtkDataObject* leaf) const;
  };

  /// Describes the places of the elements and how their values were taken.
  struct Plan
  {
    std::string How;                           ///< see Description in the proxy's documentation
    GridBlock Whole = { 0, -1, 0, -1, 0, -1 }; ///< of all elements' places
    std::uint64_t Components = 1;
    /// The bounds of the places if they are on an even grid (IsEven).
    std::array<double, 6> Bounds = { 0, 0, 0, 0, 0, 0 };
    bool IsEven = true;
  };

  /// The ranks must outlive this. With `coverage` values are 1 where the source has data.
  ArraySampler(const dsm::Communicator& ranks, dsm::ArrayShape shape, Source source, bool coverage);

  /// Takes the values of `data`; `grid` gives the places if they are resampled (null: `data` does).
  /// Returns the array on rank 0, and elsewhere an empty one; `plan` is what was done. Collective:
  /// all ranks throw the same error.
  ArrayPart Take(vtkDataObject* data, vtkDataObject* grid, Plan& plan) const;

private:
  using DataObjects = std::vector<vtkSmartPointer<vtkDataObject>>;

  std::uint64_t FindComponents(const DataObjects& leaves) const;
  bool AsItIs(
    const DataObjects& leaves, const GridLayout& all, std::uint64_t components, Plan& plan) const;
  ArrayPart JoinAsItIs(const DataObjects& leaves, const GridLayout& mine, const Plan& plan) const;
  Plan Places(const GridLayout& grid) const;
  ArrayPart PartOf(vtkDataSet* sampled, const GridBlock& block) const;
  ArrayPart OnEvenGrid(vtkDataObject* data, const Plan& plan) const;
  ArrayPart AtPlaces(
    vtkDataObject* data, const DataObjects& places, const GridLayout& mine, const Plan& plan) const;

  const dsm::Communicator& Ranks;
  const dsm::ArrayShape Shape;
  const Source From;
  const bool Coverage;
};
