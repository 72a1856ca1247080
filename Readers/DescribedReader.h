// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/Hdf5Facts.h"
#include "Describe/Hdf5Handle.h"
#include "Describe/SourceReader.h"

#include <vtkDataObjectAlgorithm.h>
#include <vtkNew.h>

#include <array>
#include <memory>
#include <string>

class vtkDataArraySelection;

namespace dsm::readers
{

/// Shows what a description says. One structured part is an image, a rectilinear or a structured
/// grid, and each rank reads its extent; one part of points, cells or rows is read in runs; several
/// parts, or one of many blocks, are a vtkPartitionedDataSetCollection, of which each rank reads as
/// much as the others. If there is nothing in the file yet, it shows an empty image. What HDF5
/// delivers in memory's order is read into VTK's arrays themselves.
class DescribedReader : public vtkDataObjectAlgorithm
{
public:
  static DescribedReader* New();
  vtkTypeMacro(DescribedReader, vtkDataObjectAlgorithm);
  DescribedReader(const DescribedReader&) = delete;
  void operator=(const DescribedReader&) = delete;

  /// The file, by any name that HDF5's default driver can open, what it holds, and how to find that
  /// out for another step.
  void SetFile(std::string name, describe::Description description, describe::Describer describer);

  vtkDataArraySelection* GetPointDataArraySelection() { return this->PointArrays; }
  vtkDataArraySelection* GetCellDataArraySelection() { return this->CellArrays; }

protected:
  DescribedReader();
  ~DescribedReader() override;

  int RequestDataObject(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;
  int RequestInformation(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;
  int RequestData(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;

private:
  bool IsCollection() const;
  bool HasExtent() const;
  std::string DataClass() const;
  void Open();
  void ChooseStep(vtkInformation* info);
  void Fill(vtkInformation* info);

  std::string Name;
  describe::Description What;
  describe::Describer Describe;
  hdf5::FileHandle File;
  std::unique_ptr<describe::SourceReader> Reader;
  vtkNew<vtkDataArraySelection> PointArrays; ///< also a table's columns
  vtkNew<vtkDataArraySelection> CellArrays;
};

}
