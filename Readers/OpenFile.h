// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Contents.h"
#include "InternalReader.h"
#include "ReaderErrors.h"
#include "Recognition.h"

#include <vtkDataObject.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class vtkInformation;

namespace dsm::readers
{

/// An HDF5 file that one rank has open, with the reader for its kind. The file cannot change or
/// vanish while this exists. Nothing here is collective. A snapshot counts as read once Read was
/// called.
class OpenFile
{
public:
  /// Opens the file, chooses the reader, and reads the file's structure. Throws dsm::Error.
  OpenFile(FileNames names, ReadOptions options);

  const std::string& Name() const { return this->Names.Opens; }
  bool Is(const std::string& name, const ReadOptions& options) const;
  const Recognition& RecognisedAs() const { return this->Recognised; }

  /// Whether there is nothing in the file yet. Then its data is an empty image.
  bool IsEmpty() const { return this->Recognised.Holds && this->Recognised.Holds->Empty; }

  /// The class of the file's data, such as "vtkImageData".
  std::string DataClass() const;

  /// Of structured data.
  std::optional<std::array<int, 6>> WholeExtent() const;

  /// The time of the step that Read returned last, of a file with several steps.
  std::optional<double> StepRead() const { return this->Step; }

  /// The time that the file itself has.
  std::optional<double> TimeInFile() const { return this->Time; }

  /// \name The time that a list of snapshots finds in a file that is recognised by itself
  ///@{
  /// Returns false if the list looks for it where opening the file has not looked.
  bool KnowsTimeForList() const;
  /// Returns the time; none if the file has none.
  std::optional<double> TimeForList() const { return this->Stated; }
  ///@}

  /// The times of the steps in the file; empty if it has one step.
  std::vector<double> Steps() const;

  /// Its groups and datasets.
  std::vector<hdf5::Object> Objects() const { return hdf5::ListObjects(this->File); }

  /// Sets what the pipeline asks for in RequestInformation.
  void Describe(vtkInformation* info) const;

  /// Adds the file's arrays to a choice, and keeps what was chosen before.
  void AddArrays(const ArrayChoice& choice) const;

  /// Reads what `request` (a pipeline's output information) asks of this rank, with the chosen
  /// arrays. Without a time, or with one that the file does not have, reads its last step. Throws
  /// dsm::Error.
  vtkSmartPointer<vtkDataObject> Read(vtkInformation* request, const ArrayChoice& choice);

private:
  void RefuseAfterCrash(const std::string& as) const;
  template <typename Work>
  void Named(const Work& work) const;
  // Runs it, and says of its error what it was about.
  template <typename Checker>
  void Check(const Checker& check) const;

  FileNames Names;
  ReadOptions Options;
  hdf5::FileHandle File;
  std::optional<double> Stated; ///< by the names that many codes use
  std::optional<double> Time, Step;
  Recognition Recognised;
  // On its own: the reader keeps its address.
  std::unique_ptr<ReaderErrors> ReaderError = std::make_unique<ReaderErrors>();
  InternalReader Reader;
};

}
