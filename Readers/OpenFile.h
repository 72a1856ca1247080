// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Hdf5File.h"

#include <vtkAlgorithm.h>
#include <vtkDataObject.h>
#include <vtkSmartPointer.h>

#include <array>
#include <optional>
#include <string>

class vtkDataArraySelection;
class vtkInformation;

namespace dsm::readers
{

/// An HDF5 file opened by one rank, with the reader that understands it. The file cannot change or
/// vanish while this exists. Nothing here is collective.
class OpenFile
{
public:
  /// Opens, decides on the reader, and reads what the file holds. Throws dsm::Error.
  explicit OpenFile(const std::string& name);

  const std::string& Name() const { return this->FileName; }

  /// What the file's data will be, as "vtkImageData".
  std::string DataClass() const;

  /// Points of the whole grid, for structured data.
  std::optional<std::array<int, 6>> WholeExtent() const;

  /// The time the file itself states.
  std::optional<double> StatedTime() const { return this->Time; }

  /// Sets what a pipeline wants to know of the data to come.
  void Describe(vtkInformation* info) const;

  /// Adds the file's arrays to choices that may have been made before.
  void AddArrays(vtkDataArraySelection* points, vtkDataArraySelection* cells) const;

  /// Reads what `request` (a pipeline's output information) asks of this rank, with the chosen
  /// arrays. Throws dsm::Error.
  vtkDataObject* Read(
    vtkInformation* request, vtkDataArraySelection* points, vtkDataArraySelection* cells);

private:
  vtkDataArraySelection* InnerPoints() const;
  vtkDataArraySelection* InnerCells() const;

  std::string FileName;
  vtkHDF::ScopedH5FHandle File;
  std::optional<double> Time;
  vtkSmartPointer<vtkAlgorithm> Reader;
  std::string Complaint; // what the inner reader said last
};

}
