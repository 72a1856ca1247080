// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMFileReader.h"

#include "ArrayMemory.h"
#include "Base/Error.h"
#include "Collectives.h"
#include "Describe/Text.h"
#include "Driver/Placeholder.h"
#include "KeptMesh.h"
#include "LiveDriver.h"
#include "MappedArray.h"
#include "Memory/NodeMemory.h"
#include "OpenFile.h"
#include "PartsRead.h"
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
#include <new>
#include <utility>

using dsm::Error;
using dsm::Fault;
using SDDP = vtkStreamingDemandDrivenPipeline;

namespace
{
using dsm::describe::AsUtf8;

// The text of the exception that a function throws; empty if it throws none.
template <typename Function>
std::string ErrorOf(Function&& function)
{
  try
  {
    function();
    return {};
  }
  catch (const std::bad_alloc&)
  {
    return "there is not enough memory for what the file has: use more ranks, or show less of it";
  }
  catch (const std::exception& error)
  {
    const std::string text = AsUtf8(error.what());
    return text.empty() ? "unknown error" : text;
  }
}

// The first of the properties, in the XML, that set it.
const char* PropertyOf(dsm::describe::Setting setting)
{
  using dsm::describe::Setting;
  switch (setting)
  {
    case Setting::AxisOrder:
      return "AxisOrder";
    case Setting::Origin:
      return "Origin";
    case Setting::Spacing:
      return "Spacing";
    case Setting::Centring:
      return "ValuesOf";
    case Setting::Columns:
      return "ColumnX";
    case Setting::Kind:
      return "ReadAs";
    case Setting::StepGroups:
      return "StepGroups";
    case Setting::GridCoordinates:
      return "GridCoordinates";
    default:
      return "TimeFrom";
  }
}
}

class vtkDSMFileReader::vtkInternals
{
public:
  // The open file: from RequestDataObject to the end of RequestData at most.
  std::unique_ptr<dsm::readers::OpenFile> File;
  // Data was read: the information properties are about that file, not about the newest.
  bool HasRead = false;
  // RequestDataObject or RequestInformation has failed: RequestData does nothing.
  bool HasFailed = false;
  // The mesh that was handed out last.
  dsm::readers::KeptMesh Mesh;
  // The whole extent in the pipeline's information.
  std::optional<std::array<int, 6>> AnnouncedExtent;

  void Open(vtkDSMFileReader& self, const std::string& name)
  {
    dsm::readers::UseLiveDriver();
    using dsm::readers::FileNames;
    const auto options = OptionsOf(self);
    if (!this->File || !this->File->Is(name, options))
    {
      this->File.reset();
      this->File = std::make_unique<dsm::readers::OpenFile>(
        FileNames{ name, self.SimulatedName(name) }, options);
    }
  }

  static dsm::readers::ReadOptions OptionsOf(const vtkDSMFileReader& self)
  {
    using dsm::describe::Overrides;
    return { static_cast<dsm::readers::Kind>(self.ReadAs), self.XdmfText, self.XdmfFile,
      { self.ColumnX, self.ColumnY, self.ColumnZ }, self.StepGroups == 0, self.GridCoordinates == 0,
      self.Recipe, self.RecipeFile,
      { self.AxisOrder, self.Origin, self.Spacing, static_cast<Overrides::Centring>(self.ValuesOf),
        self.TimeFrom } };
  }

  // The class of what is read, and of structured data its extent.
  std::string DataClass(vtkDSMFileReader& self) const
  {
    return self.PartsOf(this->File->Name()) > 0 ? "vtkPartitionedDataSetCollection"
                                                : this->File->DataClass();
  }

  std::optional<std::array<int, 6>> WholeExtent(vtkDSMFileReader& self) const
  {
    return self.PartsOf(this->File->Name()) > 0 ? std::nullopt : this->File->WholeExtent();
  }

  // Reads what the pipeline asks for, of the open file or of those in its place.
  vtkSmartPointer<vtkDataObject> Read(vtkDSMFileReader& self, vtkInformation* request)
  {
    const std::string& name = this->File->Name();
    const std::size_t count = self.PartsOf(name);
    if (count == 0)
    {
      return this->File->Read(request, Choice(self));
    }
    dsm::readers::PartsRead parts(request, count);
    for (std::size_t part = parts.First(); part < parts.End(); ++part)
    {
      self.WithPart(name, part,
        [&](const std::string& partName, const std::string& simulated)
        {
          dsm::readers::OpenFile file({ partName, simulated }, OptionsOf(self));
          file.AddArrays(Choice(self));
          parts.Read(file, part, Choice(self));
        });
    }
    return parts.Data();
  }

  // Sets the information properties from the open file.
  void SetInformation(vtkDSMFileReader& self) const
  {
    const auto& recognised = this->File->RecognisedAs();
    self.RecognisedAs = AsUtf8(recognised.Name());
    self.RecognisedBecause = AsUtf8(recognised.Why);
    for (vtkStringArray* list : { self.Contents.Get(), self.Arrays.Get(), self.Guesses.Get(),
           self.Alternatives.Get(), self.SetByUser.Get(), self.LeftOut.Get() })
    {
      list->Initialize();
    }
    if (dsm::readers::Rank() == 0)
    {
      auto remarks = recognised.Holds.value_or(dsm::describe::Description{});
      remarks.Left.insert(remarks.Left.end(), recognised.Left.begin(), recognised.Left.end());
      SetRemarks(self, remarks);
    }
    if (dsm::readers::Rank() == 0)
    {
      vtkNew<vtkDataArraySelection> points, cells;
      this->File->AddArrays({ points, cells });
      for (const auto& [association, arrays] :
        { std::pair("point", points.Get()), { "cell", cells } })
      {
        for (int index = 0; index < arrays->GetNumberOfArrays(); ++index)
        {
          self.Arrays->InsertNextValue(association);
          self.Arrays->InsertNextValue(arrays->GetArrayName(index));
        }
      }
      for (const auto& object : this->File->Objects())
      {
        self.Contents->InsertNextValue(AsUtf8(object.Path));
        self.Contents->InsertNextValue(object.Type);
        self.Contents->InsertNextValue(object.ShapeText());
      }
    }
  }

  // What a description says beside what is shown.
  static void SetRemarks(vtkDSMFileReader& self, const dsm::describe::Description& holds)
  {
    for (const std::string& guess : holds.Guessed)
    {
      self.Guesses->InsertNextValue(guess);
      self.Guesses->InsertNextValue("");
    }
    const auto add = [](vtkStringArray* list, const std::vector<dsm::describe::Settable>& settable)
    {
      for (const auto& one : settable)
      {
        list->InsertNextValue(one.Text);
        list->InsertNextValue(PropertyOf(one.By));
      }
    };
    add(self.Guesses, holds.Assumed);
    for (const auto& assumed : holds.Assumed)
    {
      for (const auto& other : assumed.Alternatives)
      {
        self.Alternatives->InsertNextValue(assumed.Text);
        self.Alternatives->InsertNextValue(PropertyOf(other.By));
        self.Alternatives->InsertNextValue(other.Value);
        self.Alternatives->InsertNextValue(other.Text);
      }
    }
    add(self.SetByUser, holds.Set);
    for (const auto& left : holds.Left)
    {
      self.LeftOut->InsertNextValue(left.Path);
      self.LeftOut->InsertNextValue(left.Why);
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

vtkDSMFileReader::~vtkDSMFileReader()
{
  dsm::readers::ArrayMemory::OfProcess().Free();
}

vtkDataArraySelection* vtkDSMFileReader::GetCellDataArraySelection()
{
  return this->CellArrays;
}

vtkStringArray* vtkDSMFileReader::GetFileContents()
{
  return this->Contents;
}

vtkStringArray* vtkDSMFileReader::GetMemoryOfArrays()
{
  return this->MemoryOfArrays;
}

vtkStringArray* vtkDSMFileReader::GetFileArrays()
{
  return this->Arrays;
}

vtkStringArray* vtkDSMFileReader::GetGuesses()
{
  return this->Guesses;
}

vtkStringArray* vtkDSMFileReader::GetAlternatives()
{
  return this->Alternatives;
}

vtkStringArray* vtkDSMFileReader::GetSetByUser()
{
  return this->SetByUser;
}

vtkStringArray* vtkDSMFileReader::GetLeftOut()
{
  return this->LeftOut;
}

vtkMTimeType vtkDSMFileReader::GetMTime()
{
  return std::max(
    { this->Superclass::GetMTime(), this->PointArrays->GetMTime(), this->CellArrays->GetMTime() });
}

int vtkDSMFileReader::CanReadFile(const char* name)
{
  try
  {
    return name && dsm::Placeholder::Read(name) ? 1 : 0;
  }
  catch (const Error&)
  {
    return 1; // of another version, which opening it says
  }
}

std::string vtkDSMFileReader::ChooseFile(const double*)
{
  return this->FileName;
}

std::string vtkDSMFileReader::SimulatedName(const std::string& name)
{
  return dsm::readers::SimulatedName(name);
}

std::size_t vtkDSMFileReader::PartsOf(const std::string&)
{
  return 0;
}

void vtkDSMFileReader::WithPart(const std::string& name, std::size_t, const ReadPart& read)
{
  read(name, this->SimulatedName(name));
}

bool vtkDSMFileReader::IsRecognisedFreely() const
{
  return vtkInternals::OptionsOf(*this) == dsm::readers::ReadOptions();
}

bool vtkDSMFileReader::FindTimeForList(std::optional<double>& time) const
{
  const auto& file = this->Internals->File;
  if (!file || !file->KnowsTimeForList())
  {
    return false;
  }
  time = file->TimeForList();
  return true;
}

bool vtkDSMFileReader::TimeOf(const std::string&, double& time)
{
  const auto& file = this->Internals->File;
  const auto inFile = file ? file->TimeInFile() : std::nullopt;
  time = inFile.value_or(time);
  return inFile.has_value();
}

std::vector<double> vtkDSMFileReader::TimeSteps(const std::vector<double>& steps)
{
  double time = 0;
  if (!steps.empty())
  {
    return steps;
  }
  return this->TimeOf(this->FileName, time) ? std::vector<double>{ time } : std::vector<double>{};
}

bool vtkDSMFileReader::ChoosesStep()
{
  return true;
}

bool vtkDSMFileReader::MayVanish()
{
  return false;
}

bool vtkDSMFileReader::ReportError(const std::string& error)
{
  const std::string first = dsm::readers::FirstError(error);
  if (first.empty())
  {
    return false;
  }
  this->ErrorText = first;
  this->Internals->HasFailed = true;
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

void vtkDSMFileReader::SetEmptyInformation(vtkInformation* info)
{
  const int none[6] = { 0, -1, 0, -1, 0, -1 };
  info->Set(SDDP::WHOLE_EXTENT(), none, 6);
  info->Set(vtkAlgorithm::CAN_PRODUCE_SUB_EXTENT(), 1);
  info->Remove(SDDP::TIME_STEPS());
  info->Remove(SDDP::TIME_RANGE());
  this->Internals->AnnouncedExtent.reset();
}

void vtkDSMFileReader::SetTimeSteps(vtkInformation* info, const std::vector<double>& times)
{
  const double range[2] = { times.front(), times.back() };
  info->Set(SDDP::TIME_STEPS(), times.data(), static_cast<int>(times.size()));
  info->Set(SDDP::TIME_RANGE(), range, 2);
}

int vtkDSMFileReader::RequestDataObject(
  vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector)
{
  this->ErrorText.clear();
  this->Internals->HasFailed = false;
  std::string dataClass = "vtkImageData"; // an empty one if there is nothing to read
  const auto error = ErrorOf(
    [&]
    {
      const std::string name = this->ChooseFile(nullptr);
      this->Internals->File.reset();
      if (!name.empty())
      {
        this->Internals->Open(*this, name);
        dataClass = this->Internals->DataClass(*this);
      }
    });
  if (this->ReportError(error))
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
  this->SetEmptyInformation(info);
  if (this->Internals->HasFailed)
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
        this->Internals->SetInformation(*this);
      }
      const auto& file = this->Internals->File;
      if (this->PartsOf(name) > 0)
      {
        info->Remove(SDDP::WHOLE_EXTENT());
        // Else VTK cuts an extent where there are several ranks, and crashes without one.
        info->Remove(vtkAlgorithm::CAN_PRODUCE_SUB_EXTENT());
        info->Set(vtkAlgorithm::CAN_HANDLE_PIECE_REQUEST(), 1);
      }
      else
      {
        file->Describe(info);
      }
      file->AddArrays(vtkInternals::Choice(*this));
      this->Internals->AnnouncedExtent = this->Internals->WholeExtent(*this);
      times = this->TimeSteps(file->Steps());
    });
  if (this->ReportError(error))
  {
    this->SetEmptyInformation(info);
  }
  else if (!times.empty())
  {
    SetTimeSteps(info, times);
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
  if (this->Internals->HasFailed)
  {
    return 1;
  }
  dsm::readers::ArrayMemory::OfProcess().BeginRead();
  // While a file is read, its mesh is in memory twice.
  if (this->Internals->Mesh.Bytes() > dsm::AvailableMemory() / 4)
  {
    this->Internals->Mesh = {};
  }
  // It may be of a request for another time.
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
      if (this->Internals->DataClass(*this) != output->GetClassName() ||
        this->Internals->WholeExtent(*this) != this->Internals->AnnouncedExtent)
      {
        throw Error(Fault::Usage,
          "{} holds another kind or size of data ({}) than the one the pipeline was prepared for "
          "({}): show it by itself, or restrict the reader to files of one kind",
          name, this->Internals->DataClass(*this), output->GetClassName());
      }
      // An older snapshot may have arrays that the newest does not have.
      file->AddArrays(vtkInternals::Choice(*this));
      const bool choosesStep = this->ChoosesStep();
      vtkNew<vtkInformation> request;
      request->Copy(info);
      if (!choosesStep)
      {
        request->Remove(SDDP::UPDATE_TIME_STEP());
      }
      const auto data = this->Internals->Read(*this, request);
      this->MemoryOfArrays->Initialize();
      for (const std::string& text : dsm::readers::MemoryNotes(data))
      {
        this->MemoryOfArrays->InsertNextValue(text);
      }
      // A mesh that stays does not keep its first snapshot in the hosts' memory.
      this->Internals->Mesh.Use(data, dsm::readers::Detach);
      output->ShallowCopy(data);
      this->Internals->HasRead = true;
      this->Internals->SetInformation(*this);
      const bool hasTime = this->TimeOf(name, time);
      const auto step = choosesStep ? file->StepRead() : std::nullopt;
      if (hasTime || step)
      {
        output->GetInformation()->Set(vtkDataObject::DATA_TIME_STEP(), step.value_or(time));
      }
    });
  // Releases the snapshot: see the class comment.
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
