// SPDX-License-Identifier: BSD-3-Clause
#include "OpenFile.h"

#include "Base/Error.h"
#include "Hdf5File.h"
#include "vtkDSMDatasetReader.h"

#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkDataArraySelection.h>
#include <vtkExecutive.h>
#include <vtkHDFReader.h>
#include <vtkInformation.h>
#include <vtkNew.h>
#include <vtkStreamingDemandDrivenPipeline.h>

using SDDP = vtkStreamingDemandDrivenPipeline;

namespace dsm::readers
{

namespace
{
// Keeps the first thing an algorithm complains of instead of printing it: its text becomes part of
// the one message the user sees.
void CollectErrors(vtkObject* object, std::string* text)
{
  vtkNew<vtkCallbackCommand> collect;
  collect->SetClientData(text);
  collect->SetCallback(
    [](vtkObject*, unsigned long, void* data, void* message)
    {
      auto& kept = *static_cast<std::string*>(data);
      if (kept.empty() && message)
      {
        kept = static_cast<const char*>(message);
        // "ERROR: In file, line 12\nvtkHDFReader (0x…): text\n\n"
        if (const auto mark = kept.find("): "); mark != std::string::npos)
        {
          kept.erase(0, mark + 3);
        }
        kept.erase(kept.find_last_not_of(" \n") + 1);
      }
    });
  object->AddObserver(vtkCommand::ErrorEvent, collect);
}

void CopyNewArrays(vtkDataArraySelection* from, vtkDataArraySelection* to)
{
  for (int index = 0; from && index < from->GetNumberOfArrays(); ++index)
  {
    to->AddArray(from->GetArrayName(index));
  }
}

void ApplyChoice(vtkDataArraySelection* choice, vtkDataArraySelection* to)
{
  for (int index = 0; to && index < to->GetNumberOfArrays(); ++index)
  {
    const char* name = to->GetArrayName(index);
    if (choice->ArrayExists(name) && !choice->ArrayIsEnabled(name))
    {
      to->DisableArray(name);
    }
  }
}
}

OpenFile::OpenFile(const std::string& name)
  : FileName(name)
  , File(hdf5::OpenFile(name))
  , Time(hdf5::StatedTime(this->File))
{
  if (hdf5::IsVtkHdf(this->File))
  {
    vtkNew<vtkHDFReader> reader;
    reader->SetFileName(name.c_str());
    this->Reader = reader;
  }
  else
  {
    vtkNew<vtkDSMDatasetReader> reader;
    reader->SetFileName(name.c_str());
    this->Reader = reader;
  }
  CollectErrors(this->Reader, &this->Complaint);
  CollectErrors(this->Reader->GetExecutive(), &this->Complaint);
  this->Reader->UpdateInformation();
  if (!this->Complaint.empty() || !this->Reader->GetOutputDataObject(0))
  {
    throw Error(
      Fault::System, "{}", this->Complaint.empty() ? name + " cannot be read" : this->Complaint);
  }
}

std::string OpenFile::DataClass() const
{
  return this->Reader->GetOutputDataObject(0)->GetClassName();
}

std::optional<std::array<int, 6>> OpenFile::WholeExtent() const
{
  auto* info = this->Reader->GetOutputInformation(0);
  if (!info->Has(SDDP::WHOLE_EXTENT()))
  {
    return std::nullopt;
  }
  std::array<int, 6> extent{};
  info->Get(SDDP::WHOLE_EXTENT(), extent.data());
  return extent;
}

void OpenFile::Describe(vtkInformation* info) const
{
  auto* from = this->Reader->GetOutputInformation(0);
  info->CopyEntry(from, SDDP::WHOLE_EXTENT());
  info->CopyEntry(from, vtkDataObject::ORIGIN());
  info->CopyEntry(from, vtkDataObject::SPACING());
  info->CopyEntry(from, vtkAlgorithm::CAN_PRODUCE_SUB_EXTENT());
  if (from->Has(SDDP::WHOLE_EXTENT()))
  {
    info->Remove(vtkAlgorithm::CAN_HANDLE_PIECE_REQUEST());
  }
  else
  {
    // Without it only the first piece's rank would be asked, and the ranks could not agree.
    info->Set(vtkAlgorithm::CAN_HANDLE_PIECE_REQUEST(), 1);
  }
}

vtkDataArraySelection* OpenFile::InnerPoints() const
{
  if (auto* reader = vtkHDFReader::SafeDownCast(this->Reader))
  {
    return reader->GetPointDataArraySelection();
  }
  return vtkDSMDatasetReader::SafeDownCast(this->Reader)->GetPointDataArraySelection();
}

vtkDataArraySelection* OpenFile::InnerCells() const
{
  auto* reader = vtkHDFReader::SafeDownCast(this->Reader);
  return reader ? reader->GetCellDataArraySelection() : nullptr;
}

void OpenFile::AddArrays(vtkDataArraySelection* points, vtkDataArraySelection* cells) const
{
  CopyNewArrays(this->InnerPoints(), points);
  CopyNewArrays(this->InnerCells(), cells);
}

vtkDataObject* OpenFile::Read(
  vtkInformation* request, vtkDataArraySelection* points, vtkDataArraySelection* cells)
{
  ApplyChoice(points, this->InnerPoints());
  ApplyChoice(cells, this->InnerCells());
  vtkNew<vtkInformation> ask;
  if (this->WholeExtent())
  {
    ask->CopyEntry(request, SDDP::UPDATE_EXTENT());
  }
  else
  {
    ask->CopyEntry(request, SDDP::UPDATE_PIECE_NUMBER());
    ask->CopyEntry(request, SDDP::UPDATE_NUMBER_OF_PIECES());
    ask->CopyEntry(request, SDDP::UPDATE_NUMBER_OF_GHOST_LEVELS());
  }
  // A file that holds many steps by itself shows its last one: it is what the simulation just
  // wrote.
  auto* info = this->Reader->GetOutputInformation(0);
  if (const int steps = info->Length(SDDP::TIME_STEPS()); steps > 0)
  {
    ask->Set(SDDP::UPDATE_TIME_STEP(), info->Get(SDDP::TIME_STEPS())[steps - 1]);
  }
  this->Complaint.clear();
  if (!this->Reader->Update(ask) || !this->Complaint.empty())
  {
    throw Error(Fault::System, "{} cannot be read: {}", this->FileName,
      this->Complaint.empty() ? "its reader gave no reason" : this->Complaint);
  }
  return this->Reader->GetOutputDataObject(0);
}

}
