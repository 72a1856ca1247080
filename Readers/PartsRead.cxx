// SPDX-License-Identifier: BSD-3-Clause
#include "PartsRead.h"

#include "OpenFile.h"

#include <vtkCompositeDataIterator.h>
#include <vtkCompositeDataSet.h>
#include <vtkDataSet.h>
#include <vtkInformation.h>
#include <vtkPartitionedDataSet.h>
#include <vtkStreamingDemandDrivenPipeline.h>
#include <vtkTable.h>

namespace dsm::readers
{

using SDDP = vtkStreamingDemandDrivenPipeline;

PartsRead::PartsRead(vtkInformation* request, std::size_t count)
  : Request(request)
{
  // Without a piece: all.
  const bool cut = request->Has(SDDP::UPDATE_NUMBER_OF_PIECES()) &&
    request->Get(SDDP::UPDATE_NUMBER_OF_PIECES()) > 0;
  const auto pieces =
    static_cast<std::size_t>(cut ? request->Get(SDDP::UPDATE_NUMBER_OF_PIECES()) : 1);
  const auto piece = static_cast<std::size_t>(cut ? request->Get(SDDP::UPDATE_PIECE_NUMBER()) : 0);
  this->Begin = piece * count / pieces;
  this->Behind = (piece + 1) * count / pieces;
  this->All->SetNumberOfPartitionedDataSets(1); // also where there is no file for this piece
}

void PartsRead::Read(OpenFile& file, std::size_t part, const ArrayChoice& choice)
{
  vtkNew<vtkInformation> request;
  file.Describe(request);
  if (this->Request->Has(SDDP::UPDATE_TIME_STEP()))
  {
    request->Set(SDDP::UPDATE_TIME_STEP(), this->Request->Get(SDDP::UPDATE_TIME_STEP()));
  }
  request->Set(SDDP::UPDATE_PIECE_NUMBER(), 0);
  request->Set(SDDP::UPDATE_NUMBER_OF_PIECES(), 1);
  request->Set(SDDP::UPDATE_NUMBER_OF_GHOST_LEVELS(), 0);
  if (request->Has(SDDP::WHOLE_EXTENT()))
  {
    int extent[6];
    request->Get(SDDP::WHOLE_EXTENT(), extent);
    request->Set(SDDP::UPDATE_EXTENT(), extent, 6);
  }
  const auto data = file.Read(request, choice);
  if (file.IsEmpty())
  {
    return;
  }
  auto* const composite = vtkCompositeDataSet::SafeDownCast(data);
  if (!composite)
  {
    this->Add(0, part, data);
    return;
  }
  unsigned int block = 0;
  const auto leaves = vtk::TakeSmartPointer(composite->NewIterator());
  for (leaves->InitTraversal(); !leaves->IsDoneWithTraversal(); leaves->GoToNextItem())
  {
    this->Add(block++, part, leaves->GetCurrentDataObject());
  }
}

// The data is the reader's own: it is used again for the next file, but not what it holds.
void PartsRead::Add(unsigned int block, std::size_t part, vtkDataObject* data)
{
  const auto mine = vtk::TakeSmartPointer(data->NewInstance());
  mine->ShallowCopy(data);
  if (block >= this->All->GetNumberOfPartitionedDataSets())
  {
    this->All->SetNumberOfPartitionedDataSets(block + 1);
  }
  this->All->SetPartition(block, static_cast<unsigned int>(part - this->Begin), mine);
}

}
