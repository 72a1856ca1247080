// SPDX-License-Identifier: BSD-3-Clause
#include "OpenFile.h"

#include "Base/Error.h"
#include "Session/Peek.h"
#include "SharePieces.h"

#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkExecutive.h>
#include <vtkInformation.h>
#include <vtkNew.h>
#include <vtkStreamingDemandDrivenPipeline.h>

#include <algorithm>

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
        // An executive that tells that its algorithm failed has nothing to add.
        if (kept.find("returned failure for request") != std::string::npos)
        {
          kept.clear();
          return;
        }
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
}

OpenFile::OpenFile(FileNames names, Wishes wishes)
  : Names(std::move(names))
  , Wanted(std::move(wishes))
{
  const Peek peek;
  // Readers let HDF5 print what they then say themselves.
  const hdf5::Quiet quiet;
  this->File = hdf5::OpenFile(this->Name());
  this->Time = hdf5::StatedTime(this->File);
  this->Recognised = Recognise(this->File, this->Names, this->Wanted);
  this->Inner = MakeInnerReader(this->Name(), this->Recognised, this->Wanted);

  vtkAlgorithm* const reader = this->Inner.Algorithm;
  CollectErrors(reader, &this->Complaint);
  CollectErrors(reader->GetExecutive(), &this->Complaint);
  reader->UpdateInformation();
  if (this->Complaint.rfind(this->Name(), 0) == 0)
  {
    throw Error(Fault::System, "{}", this->Complaint);
  }
  if (!this->Complaint.empty() || !reader->GetOutputDataObject(0))
  {
    throw Error(Fault::System, "{} cannot be read as {}{}{}", this->Name(),
      KindName(this->Recognised.As), this->Complaint.empty() ? "" : ": ", this->Complaint);
  }
}

bool OpenFile::Is(const std::string& name, const Wishes& wishes) const
{
  return this->Name() == name && this->Wanted == wishes;
}

std::string OpenFile::DataClass() const
{
  return this->Inner.Algorithm->GetOutputDataObject(0)->GetClassName();
}

std::optional<std::array<int, 6>> OpenFile::WholeExtent() const
{
  auto* info = this->Inner.Algorithm->GetOutputInformation(0);
  if (!info->Has(SDDP::WHOLE_EXTENT()))
  {
    return std::nullopt;
  }
  std::array<int, 6> extent{};
  info->Get(SDDP::WHOLE_EXTENT(), extent.data());
  return extent;
}

std::vector<double> OpenFile::Steps() const
{
  auto* info = this->Inner.Algorithm->GetOutputInformation(0);
  const int count = info->Length(SDDP::TIME_STEPS());
  const double* times = info->Get(SDDP::TIME_STEPS());
  return count > 1 ? std::vector<double>(times, times + count) : std::vector<double>();
}

void OpenFile::Describe(vtkInformation* info) const
{
  auto* from = this->Inner.Algorithm->GetOutputInformation(0);
  info->CopyEntry(from, SDDP::WHOLE_EXTENT());
  info->CopyEntry(from, vtkDataObject::ORIGIN());
  info->CopyEntry(from, vtkDataObject::SPACING());
  info->CopyEntry(from, vtkAlgorithm::CAN_PRODUCE_SUB_EXTENT());
  if (from->Has(SDDP::WHOLE_EXTENT()) && !this->Inner.CutsByPiece)
  {
    info->Remove(vtkAlgorithm::CAN_HANDLE_PIECE_REQUEST());
  }
  else
  {
    // Without it only the first piece's rank would be asked, and the ranks could not agree.
    info->Set(vtkAlgorithm::CAN_HANDLE_PIECE_REQUEST(), 1);
  }
}

void OpenFile::AddArrays(const ArrayChoice& choice) const
{
  this->Inner.AddArrays(choice);
}

vtkSmartPointer<vtkDataObject> OpenFile::Read(vtkInformation* request, const ArrayChoice& choice)
{
  // Opened once more for its effect: at the end of this the snapshot counts as read.
  const vtkHDF::ScopedH5FHandle counts = hdf5::OpenFile(this->Name());
  const Peek peek;
  const hdf5::Quiet quiet;
  this->Inner.Choose(choice);
  vtkNew<vtkInformation> ask;
  if (this->WholeExtent() && !this->Inner.CutsByPiece)
  {
    ask->CopyEntry(request, SDDP::UPDATE_EXTENT());
  }
  else
  {
    ask->CopyEntry(request, SDDP::UPDATE_PIECE_NUMBER());
    ask->CopyEntry(request, SDDP::UPDATE_NUMBER_OF_PIECES());
    ask->CopyEntry(request, SDDP::UPDATE_NUMBER_OF_GHOST_LEVELS());
  }
  // Of a file that holds many steps, the last one is what the simulation just wrote.
  if (const auto steps = this->Steps(); !steps.empty())
  {
    const double asked = request->Has(SDDP::UPDATE_TIME_STEP())
      ? request->Get(SDDP::UPDATE_TIME_STEP())
      : steps.back();
    const bool there = std::find(steps.begin(), steps.end(), asked) != steps.end();
    this->Step = there ? asked : steps.back();
    ask->Set(SDDP::UPDATE_TIME_STEP(), *this->Step);
  }
  this->Complaint.clear();
  if (!this->Inner.Algorithm->Update(ask) || !this->Complaint.empty())
  {
    throw Error(Fault::System, "{} cannot be read: {}", this->Name(),
      this->Complaint.empty() ? "its reader gave no reason" : this->Complaint);
  }
  auto* data = this->Inner.Algorithm->GetOutputDataObject(0);
  if (!this->Inner.GivesAllToEach)
  {
    return data;
  }
  return ShareOf(
    data, request->Get(SDDP::UPDATE_PIECE_NUMBER()), request->Get(SDDP::UPDATE_NUMBER_OF_PIECES()));
}

}
