// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Handle.h"
#include "ReaderErrors.h"
#include "VtkHdfMembers.h"

#include <vtkDataObjectAlgorithm.h>
#include <vtkHDFReader.h>
#include <vtkNew.h>
#include <vtkSmartPointer.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

class vtkDataArraySelection;
class vtkDataSet;
class vtkMultiBlockDataSet;
class vtkOverlappingAMR;
class vtkPartitionedDataSet;
class vtkPartitionedDataSetCollection;

namespace dsm::readers
{

struct VtkHdfPiece;

/// Shows a VTKHDF file by ParaView's vtkHDFReader, part by part. That of ParaView 5.13 reads
/// collections and blocks of refinement whole on each rank; here each rank reads only its share of
/// them, and what comes of it has the same structure, with nothing where another rank reads: the
/// parts of a collection's members (VtkHdfView), the blocks of a multiblock, and blocks of
/// refinement, which this reads itself (RefinedBlocks). Large arrays are mapped in place of being
/// read (VtkHdfArrays). What it reads is looked at before it is put together (SoundData). The file
/// must be one that CheckVtkHdf finds good.
class VtkHdfReader : public vtkDataObjectAlgorithm
{
public:
  static VtkHdfReader* New();
  vtkTypeMacro(VtkHdfReader, vtkDataObjectAlgorithm);
  VtkHdfReader(const VtkHdfReader&) = delete;
  void operator=(const VtkHdfReader&) = delete;

  /// By any name that HDF5's default driver can open.
  void SetFile(const std::string& name);

  vtkDataArraySelection* GetPointDataArraySelection();
  vtkDataArraySelection* GetCellDataArraySelection();

protected:
  VtkHdfReader();
  ~VtkHdfReader() override;

  int RequestDataObject(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;
  int RequestInformation(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;
  int RequestData(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;

private:
  // What is asked of this reader.
  struct Share
  {
    std::uint64_t Piece = 0, Pieces = 1;
    std::size_t Step = 0;
    std::optional<double> Time; ///< of the step, if the file has several
  };
  class Member;

  int TypeOfParts() const; ///< the type of a part, where the file has several; throws Error
  Share ShareOf(vtkInformation* info);
  static VtkHdfPiece PieceOf(const std::string& group, const Share& share, vtkInformation* request);
  void ReadWhole(vtkInformation* request, const Share& share, vtkDataSet* output);
  void FillCollection(const Share& share, vtkPartitionedDataSetCollection* collection);
  void FillBlocks(const Share& share, vtkMultiBlockDataSet* blocks);
  void FillGroup(const std::string& group, const std::vector<bool>& mine, std::size_t& leaf,
    const Share& share, vtkMultiBlockDataSet* blocks);

  std::string Name;
  hdf5::FileHandle File;
  // Of the whole file: its kind, its times and arrays; and its data, if it is no collection.
  vtkNew<vtkHDFReader> Whole;
  ReaderErrors Errors;
};

}
