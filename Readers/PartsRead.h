// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "InternalReader.h"

#include <vtkNew.h>
#include <vtkPartitionedDataSetCollection.h>
#include <vtkSmartPointer.h>

#include <cstddef>

class vtkInformation;

namespace dsm::readers
{

class OpenFile;

/// The files of a snapshot that is in several, as one collection: each file whole, by one rank. The
/// partitions of one block are what the files have in the same place: of files that hold one
/// dataset each, one partition each. Nothing here is collective.
class PartsRead
{
public:
  /// `request`: a pipeline's, for one of several pieces; it must outlive this.
  PartsRead(vtkInformation* request, std::size_t count);

  ///@{
  /// Which files this piece has.
  std::size_t First() const { return this->Begin; }
  std::size_t End() const { return this->Behind; }
  ///@}

  /// Adds a file's data. Throws dsm::Error.
  void Read(OpenFile& file, std::size_t part, const ArrayChoice& choice);

  vtkSmartPointer<vtkDataObject> Data() const { return this->All; }

private:
  void Add(unsigned int block, std::size_t part, vtkDataObject* data);

  vtkInformation* Request;
  std::size_t Begin = 0, Behind = 0;
  vtkNew<vtkPartitionedDataSetCollection> All;
};

}
