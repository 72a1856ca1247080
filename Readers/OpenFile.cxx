// SPDX-License-Identifier: BSD-3-Clause
#include "OpenFile.h"

#include "Base/Error.h"
#include "CrashNote.h"
#include "CrashRecord.h"
#include "Describe/Hdf5Facts.h"
#include "Describe/SourceFolder.h"
#include "Describe/VirtualCheck.h"
#include "Peer/Peek.h"
#include "SoundData.h"

#include <vtkInformation.h>
#include <vtkNew.h>
#include <vtkStreamingDemandDrivenPipeline.h>

#include <algorithm>

using SDDP = vtkStreamingDemandDrivenPipeline;

namespace dsm::readers
{

OpenFile::OpenFile(FileNames names, ReadOptions options)
  : Names(std::move(names))
  , Options(std::move(options))
{
  const Peek peek;
  const hdf5::SourceFolder folder(this->Names.Simulated);
  this->RefuseAfterCrash({});
  CrashNote note(this->Name());
  // Readers let HDF5 print errors that they report themselves.
  const hdf5::SilenceErrors silence;
  this->File = hdf5::OpenFile(this->Name());
  this->Named(
    [this]
    {
      describe::CheckVirtual(this->File);
      this->Stated = describe::Hdf5Facts(this->File).Time();
      this->Time = this->Stated;
      this->Recognised = Recognise(this->File, this->Names, this->Options);
    });
  this->RefuseAfterCrash(this->Recognised.Name());
  note.ReadAs(this->Recognised.Name());
  this->Named([this] { this->Reader = MakeInternalReader(this->Name(), this->Recognised); });
  if (this->Recognised.Holds && this->Recognised.Holds->Time)
  {
    this->Time = this->Recognised.Holds->Time;
  }

  vtkAlgorithm* const reader = this->Reader.Algorithm;
  this->ReaderError->Watch(reader);
  reader->UpdateInformation();
  const std::string& text = this->ReaderError->Text();
  if (text.rfind(this->Name(), 0) == 0)
  {
    throw Error(Fault::System, "{}", text);
  }
  if (!text.empty() || !reader->GetOutputDataObject(0))
  {
    throw Error(Fault::System, "{} cannot be read as {}{}{}", this->Name(), this->Recognised.Name(),
      text.empty() ? "" : ": ", text);
  }
}

// Who says what the file is read as means it.
void OpenFile::RefuseAfterCrash(const std::string& as) const
{
  if (this->Options.As == Kind::Automatic)
  {
    crashes::Refuse({ this->Name(), as, this->Names.Simulated });
  }
}

// What is wrong in a file is told with the file's name.
template <typename Work>
void OpenFile::Named(const Work& work) const
{
  try
  {
    work();
  }
  catch (const Error& error)
  {
    const std::string text = error.what();
    if (text.find(this->Name()) != std::string::npos)
    {
      throw;
    }
    throw Error(error.GetFault(), "{} cannot be read: {}", this->Name(), text);
  }
}

template <typename Checker>
void OpenFile::Check(const Checker& check) const
{
  try
  {
    check();
  }
  catch (const Error& error)
  {
    throw Error(error.GetFault(), "{} cannot be read as {}: {}", this->Name(),
      this->Recognised.Name(), error.what());
  }
}

bool OpenFile::Is(const std::string& name, const ReadOptions& options) const
{
  return this->Name() == name && this->Options == options;
}

// The list looks for XDMF first, then for what the file states, then for what its format has. What
// is shown by shapes and names has none of the first and the last.
bool OpenFile::KnowsTimeForList() const
{
  switch (this->Recognised.As)
  {
    case Kind::VtkHdf:
    case Kind::Xdmf:
      return false;
    case Kind::Automatic:
      return this->Stated.has_value();
    default:
      return true;
  }
}

std::string OpenFile::DataClass() const
{
  return this->Reader.Algorithm->GetOutputDataObject(0)->GetClassName();
}

std::optional<std::array<int, 6>> OpenFile::WholeExtent() const
{
  auto* info = this->Reader.Algorithm->GetOutputInformation(0);
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
  auto* info = this->Reader.Algorithm->GetOutputInformation(0);
  const int count = info->Length(SDDP::TIME_STEPS());
  const double* times = info->Get(SDDP::TIME_STEPS());
  return count > 1 ? std::vector<double>(times, times + count) : std::vector<double>();
}

void OpenFile::Describe(vtkInformation* info) const
{
  auto* from = this->Reader.Algorithm->GetOutputInformation(0);
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
    // Else the pipeline asks only the rank of the first piece, and collective calls would hang.
    info->Set(vtkAlgorithm::CAN_HANDLE_PIECE_REQUEST(), 1);
  }
}

void OpenFile::AddArrays(const ArrayChoice& choice) const
{
  this->Reader.AddArrays(choice);
}

vtkSmartPointer<vtkDataObject> OpenFile::Read(vtkInformation* request, const ArrayChoice& choice)
{
  // Opened once more, not as a peek: when this is closed, the snapshot counts as read.
  const hdf5::FileHandle countAsRead = hdf5::OpenFile(this->Name());
  const Peek peek;
  const hdf5::SourceFolder folder(this->Names.Simulated);
  CrashNote note(this->Name());
  note.ReadAs(this->Recognised.Name());
  const hdf5::SilenceErrors silence;
  this->Reader.Choose(choice);
  vtkNew<vtkInformation> internalRequest;
  if (this->WholeExtent())
  {
    internalRequest->CopyEntry(request, SDDP::UPDATE_EXTENT());
  }
  else
  {
    internalRequest->CopyEntry(request, SDDP::UPDATE_PIECE_NUMBER());
    internalRequest->CopyEntry(request, SDDP::UPDATE_NUMBER_OF_PIECES());
    internalRequest->CopyEntry(request, SDDP::UPDATE_NUMBER_OF_GHOST_LEVELS());
  }
  // Of a file with several steps, the last one is what the simulation has just written.
  if (const auto steps = this->Steps(); !steps.empty())
  {
    const double asked = request->Has(SDDP::UPDATE_TIME_STEP())
      ? request->Get(SDDP::UPDATE_TIME_STEP())
      : steps.back();
    const bool there = std::find(steps.begin(), steps.end(), asked) != steps.end();
    this->Step = there ? asked : steps.back();
    internalRequest->Set(SDDP::UPDATE_TIME_STEP(), *this->Step);
  }
  this->ReaderError->Clear();
  const std::string& text = this->ReaderError->Text();
  if (!this->Reader.Algorithm->Update(internalRequest) || !text.empty())
  {
    throw Error(Fault::System, "{} cannot be read: {}", this->Name(),
      text.empty() ? "its reader gave no reason" : text);
  }
  auto* data = this->Reader.Algorithm->GetOutputDataObject(0);
  if (!this->Recognised.Holds)
  {
    this->Check([data] { CheckSound(data); });
  }
  return data;
}

}
