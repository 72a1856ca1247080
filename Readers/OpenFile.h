// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Hdf5Contents.h"
#include "InnerReader.h"
#include "Recognition.h"

#include <vtkDataObject.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

class vtkInformation;

namespace dsm::readers
{

/// An HDF5 file opened by one rank, with the reader that understands it. The file cannot change or
/// vanish while this exists. Nothing here is collective. A snapshot counts as read when Read was
/// called, not before.
class OpenFile
{
public:
  /// Opens, decides on the reader, and reads what the file holds. Throws dsm::Error.
  OpenFile(FileNames names, Wishes wishes);

  const std::string& Name() const { return this->Names.Opens; }
  bool Is(const std::string& name, const Wishes& wishes) const;
  const Recognition& RecognisedAs() const { return this->Recognised; }

  /// What the file's data will be, as "vtkImageData".
  std::string DataClass() const;

  /// Points of the whole grid, for structured data.
  std::optional<std::array<int, 6>> WholeExtent() const;

  /// The step that Read gave last, of a file that holds many.
  std::optional<double> StepRead() const { return this->Step; }

  /// The time the file itself states.
  std::optional<double> StatedTime() const { return this->Time; }

  /// The times of the steps that the file holds by itself; none when it is of one time.
  std::vector<double> Steps() const;

  /// Its groups and datasets.
  std::vector<hdf5::Object> Objects() const { return hdf5::ListObjects(this->File); }

  /// Sets what a pipeline wants to know of the data to come.
  void Describe(vtkInformation* info) const;

  /// Adds the file's arrays to choices that may have been made before.
  void AddArrays(const ArrayChoice& choice) const;

  /// Reads what `request` (a pipeline's output information) asks of this rank, with the chosen
  /// arrays. A time that the file has no step for, or none, gives its last step. Throws dsm::Error.
  vtkSmartPointer<vtkDataObject> Read(vtkInformation* request, const ArrayChoice& choice);

private:
  FileNames Names;
  Wishes Wanted;
  vtkHDF::ScopedH5FHandle File;
  std::optional<double> Time, Step;
  Recognition Recognised;
  InnerReader Inner;
  std::string Complaint; // what the inner reader said last
};

}
