// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMFileReader.h"

#include "Agreement.h"
#include "Base/Error.h"
#include "LibraryCheck.h"
#include "OpenFile.h"
#include "SnapshotList.h"

#include <vtkDataArraySelection.h>
#include <vtkDataObjectTypes.h>
#include <vtkImageData.h>
#include <vtkInformation.h>
#include <vtkInformationVector.h>
#include <vtkObjectFactory.h>
#include <vtkStreamingDemandDrivenPipeline.h>
#include <vtkStringArray.h>

#include <algorithm>
#include <utility>

using dsm::Error;
using dsm::Fault;
using SDDP = vtkStreamingDemandDrivenPipeline;

namespace
{
// Runs a step and returns what went wrong in it.
template <typename Step>
std::string ErrorOf(Step&& step)
{
  try
  {
    step();
    return {};
  }
  catch (const std::exception& error)
  {
    const std::string text = error.what();
    return text.empty() ? "unknown error" : text;
  }
}
}

class vtkDSMFileReader::vtkInternals
{
public:
  // The file being worked on; from RequestDataObject to the end of RequestData at most.
  std::unique_ptr<dsm::readers::OpenFile> File;
  // Data was read: people want to know of the file that it was read of, not of the newest.
  bool HasRead = false;
  // The pipeline could not be prepared: there is nothing to read until it is.
  bool Unprepared = false;
  // What the pipeline was told to expect.
  std::optional<std::array<int, 6>> PromisedExtent;

  void Open(vtkDSMFileReader& self, const std::string& name)
  {
    dsm::readers::RequireLibraries();
    using dsm::readers::FileNames;
    const dsm::readers::Wishes wishes{ static_cast<dsm::readers::Kind>(self.ReadAs), self.XdmfText,
      self.XdmfFile, { self.ColumnX, self.ColumnY, self.ColumnZ } };
    if (!this->File || !this->File->Is(name, wishes))
    {
      this->File.reset();
      this->File = std::make_unique<dsm::readers::OpenFile>(
        FileNames{ name, self.SimulatedName(name) }, wishes);
    }
  }

  // Tells people what the open file holds.
  void Tell(vtkDSMFileReader& self) const
  {
    const auto& recognised = this->File->RecognisedAs();
    self.RecognisedAs = dsm::readers::KindName(recognised.As);
    self.RecognisedBecause = recognised.Why;
    self.Contents->Initialize();
    self.Arrays->Initialize();
    if (dsm::readers::Rank() == 0)
    {
      vtkNew<vtkDataArraySelection> points, cells;
      this->File->AddArrays({ points, cells });
      for (const auto& [sign, arrays] : { std::pair("point", points.Get()), { "cell", cells } })
      {
        for (int index = 0; index < arrays->GetNumberOfArrays(); ++index)
        {
          self.Arrays->InsertNextValue(sign);
          self.Arrays->InsertNextValue(arrays->GetArrayName(index));
        }
      }
      for (const auto& object : this->File->Objects())
      {
        self.Contents->InsertNextValue(object.Path);
        self.Contents->InsertNextValue(object.Type);
        self.Contents->InsertNextValue(object.ShapeText());
      }
    }
  }

  static dsm::readers::ArrayChoice Choice(const vtkDSMFileReader& self)
  {
    return { self.PointArrays, self.CellArrays };
  }
};

vtkStandardNewMacro(vtkDSMFileReader);

vtkDSMFileReader::vtkDSMFileReader()
  : Internals(std::make_unique<vtkInternals>())
{
}

vtkDSMFileReader::~vtkDSMFileReader() = default;

vtkDataArraySelection* vtkDSMFileReader::GetCellDataArraySelection()
{
  return this->CellArrays;
}

vtkStringArray* vtkDSMFileReader::GetFileContents()
{
  return this->Contents;
}

vtkStringArray* vtkDSMFileReader::GetFileArrays()
{
  return this->Arrays;
}

vtkMTimeType vtkDSMFileReader::GetMTime()
{
  return std::max(
    { this->Superclass::GetMTime(), this->PointArrays->GetMTime(), this->CellArrays->GetMTime() });
}

std::string vtkDSMFileReader::ChooseFile(const double*)
{
  return this->FileName;
}

std::string vtkDSMFileReader::SimulatedName(const std::string& name)
{
  return dsm::readers::SimulatedName(name);
}

bool vtkDSMFileReader::TimeOf(const std::string&, double& time)
{
  const auto& file = this->Internals->File;
  const auto stated = file ? file->StatedTime() : std::nullopt;
  time = stated.value_or(time);
  return stated.has_value();
}

std::vector<double> vtkDSMFileReader::OfferedTimes(const std::vector<double>& steps)
{
  double time = 0;
  if (!steps.empty())
  {
    return steps;
  }
  return this->TimeOf(this->FileName, time) ? std::vector<double>{ time } : std::vector<double>{};
}

bool vtkDSMFileReader::MayVanish()
{
  return false;
}

bool vtkDSMFileReader::Failed(const std::string& error)
{
  const std::string first = dsm::readers::FirstError(error);
  if (first.empty())
  {
    return false;
  }
  this->ErrorText = first;
  this->Internals->Unprepared = true;
  this->Internals->File.reset();
  if (dsm::readers::Rank() == 0)
  {
    vtkErrorMacro(<< first);
  }
  return true;
}

void vtkDSMFileReader::ShareErrors()
{
  this->ErrorText = dsm::readers::FirstError(this->ErrorText);
}

void vtkDSMFileReader::ShowNothing(vtkInformation* info)
{
  const int none[6] = { 0, -1, 0, -1, 0, -1 };
  info->Set(SDDP::WHOLE_EXTENT(), none, 6);
  info->Set(vtkAlgorithm::CAN_PRODUCE_SUB_EXTENT(), 1);
  info->Remove(SDDP::TIME_STEPS());
  info->Remove(SDDP::TIME_RANGE());
  this->Internals->PromisedExtent.reset();
}

int vtkDSMFileReader::RequestDataObject(
  vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector)
{
  this->ErrorText.clear();
  this->Internals->Unprepared = false;
  std::string dataClass = "vtkImageData"; // empty, while there is nothing to show
  const auto error = ErrorOf(
    [&]
    {
      const std::string name = this->ChooseFile(nullptr);
      this->Internals->File.reset();
      if (!name.empty())
      {
        this->Internals->Open(*this, name);
        dataClass = this->Internals->File->DataClass();
      }
    });
  if (this->Failed(error))
  {
    dataClass = "vtkImageData";
  }
  auto* info = outputVector->GetInformationObject(0);
  auto* output = info->Get(vtkDataObject::DATA_OBJECT());
  if (!output || dataClass != output->GetClassName())
  {
    auto made = vtk::TakeSmartPointer(vtkDataObjectTypes::NewDataObject(dataClass.c_str()));
    info->Set(vtkDataObject::DATA_OBJECT(), made);
    this->GetOutputPortInformation(0)->Set(
      vtkDataObject::DATA_EXTENT_TYPE(), made->GetExtentType());
  }
  return 1;
}

int vtkDSMFileReader::RequestInformation(
  vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector)
{
  auto* info = outputVector->GetInformationObject(0);
  this->ShowNothing(info);
  if (this->Internals->Unprepared)
  {
    return 1;
  }
  std::vector<double> times;
  const auto error = ErrorOf(
    [&]
    {
      const std::string name = this->ChooseFile(nullptr);
      if (name.empty())
      {
        return;
      }
      this->Internals->Open(*this, name);
      if (!this->MayVanish() || !this->Internals->HasRead)
      {
        this->Internals->Tell(*this);
      }
      const auto& file = this->Internals->File;
      file->Describe(info);
      file->AddArrays(vtkInternals::Choice(*this));
      this->Internals->PromisedExtent = file->WholeExtent();
      times = this->OfferedTimes(file->Steps());
    });
  if (this->Failed(error))
  {
    this->ShowNothing(info);
  }
  else if (!times.empty())
  {
    const double range[2] = { times.front(), times.back() };
    info->Set(SDDP::TIME_STEPS(), times.data(), static_cast<int>(times.size()));
    info->Set(SDDP::TIME_RANGE(), range, 2);
  }
  if (!this->MayVanish())
  {
    this->Internals->File.reset();
  }
  return 1;
}

int vtkDSMFileReader::RequestData(
  vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector)
{
  auto* info = outputVector->GetInformationObject(0);
  auto* output = info->Get(vtkDataObject::DATA_OBJECT());
  output->Initialize();
  if (this->Internals->Unprepared)
  {
    return 1;
  }
  // An earlier time's may have failed.
  this->ErrorText.clear();
  const auto error = ErrorOf(
    [&]
    {
      double time = 0;
      const bool timed = info->Has(SDDP::UPDATE_TIME_STEP());
      if (timed)
      {
        time = info->Get(SDDP::UPDATE_TIME_STEP());
      }
      const std::string name = this->ChooseFile(timed ? &time : nullptr);
      if (name.empty())
      {
        return;
      }
      this->Internals->Open(*this, name);
      const auto& file = this->Internals->File;
      if (file->DataClass() != output->GetClassName() ||
        file->WholeExtent() != this->Internals->PromisedExtent)
      {
        throw Error(Fault::Usage,
          "{} holds another kind or size of data ({}) than the one the pipeline was prepared for "
          "({}): show it by itself, or restrict the reader to files of one kind",
          name, file->DataClass(), output->GetClassName());
      }
      // An older one may have arrays that the newest lacks.
      file->AddArrays(vtkInternals::Choice(*this));
      output->ShallowCopy(file->Read(info, vtkInternals::Choice(*this)));
      this->Internals->HasRead = true;
      this->Internals->Tell(*this);
      if (this->TimeOf(name, time) || file->StepRead())
      {
        output->GetInformation()->Set(
          vtkDataObject::DATA_TIME_STEP(), file->StepRead().value_or(time));
      }
    });
  // Lets the snapshot go: see the class comment.
  this->Internals->File.reset();
  if (!error.empty())
  {
    output->Initialize();
    this->ErrorText = error;
    vtkErrorMacro(<< error);
  }
  return 1;
}

void vtkDSMFileReader::PrintSelf(ostream& os, vtkIndent indent)
{
  this->Superclass::PrintSelf(os, indent);
  os << indent << "ReadAs: " << this->ReadAs << "\n";
  os << indent << "RecognisedAs: " << this->RecognisedAs << "\n";
}
