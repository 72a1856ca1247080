// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMReader.h"

#include "Agreement.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Driver/H5FDdsm.h"
#include "LibraryCheck.h"
#include "SnapshotList.h"

#include <vtkDoubleArray.h>
#include <vtkIdTypeArray.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>

#include <optional>

class vtkDSMReader::vtkInternals
{
public:
  dsm::readers::SnapshotList List;
  // Why the list could not be had; the same on all ranks.
  std::string ListError;
  // What the list was renewed for, by Refresh, and the pipeline has not asked since.
  std::optional<dsm::readers::SnapshotList::Selection> Renewed;
  // While data is asked for.
  bool IsReading = false;
  std::optional<dsm::readers::SnapshotList::Reading> Reading;
  vtkNew<vtkIdTypeArray> Numbers;
  vtkNew<vtkDoubleArray> Times;

  const dsm::readers::ListedSnapshot* Named(const std::string& name) const
  {
    return this->Reading && this->Reading->Snapshot.Name == name ? &this->Reading->Snapshot
                                                                 : this->List.Named(name);
  }

  static void Shows(vtkDSMReader& self, const dsm::readers::ListedSnapshot& snapshot)
  {
    self.ShownSnapshot = static_cast<vtkIdType>(snapshot.Number);
    self.ShownFile = snapshot.FileName;
    self.ShownTime = snapshot.Time;
  }

  void Tell()
  {
    this->Numbers->Initialize();
    this->Times->Initialize();
    for (const auto& snapshot : this->List.All())
    {
      this->Numbers->InsertNextValue(static_cast<vtkIdType>(snapshot.Number));
      this->Times->InsertNextValue(snapshot.Time);
    }
  }

  static dsm::readers::SnapshotList::Selection Selected(const vtkDSMReader& self);

  // ParaView's readers name no driver. A server's Stop may have taken the default back.
  static void UseDriver()
  {
    dsm::readers::RequireLibraries();
    if (H5FD_dsm_set_default() < 0)
    {
      throw dsm::Error(dsm::Fault::System,
        "HDF5 refuses the DSM's driver: ParaView and the plugin may use two different HDF5 "
        "libraries");
    }
  }
};

vtkStandardNewMacro(vtkDSMReader);

vtkDSMReader::vtkDSMReader()
  : Internals(std::make_unique<vtkInternals>())
{
}

vtkDSMReader::~vtkDSMReader() = default;

dsm::readers::SnapshotList::Selection vtkDSMReader::vtkInternals::Selected(const vtkDSMReader& self)
{
  return { dsm::AbsoluteName(self.ContactFile), self.FilePattern,
    static_cast<std::uint64_t>(self.Snapshot) };
}

int vtkDSMReader::RequestDataObject(
  vtkInformation* request, vtkInformationVector** inputVector, vtkInformationVector* outputVector)
{
  auto& internals = *this->Internals;
  internals.ListError.clear();
  if (!this->ContactFile.empty())
  {
    try
    {
      internals.UseDriver();
      // A list that was renewed has its newest held: asked for again, it might be gone.
      const auto selected = vtkInternals::Selected(*this);
      if (internals.Renewed != selected)
      {
        internals.List.Update(selected);
      }
      internals.Renewed.reset();
      internals.Tell();
      if (this->Snapshot != 0 && internals.List.All().empty())
      {
        throw dsm::Error(dsm::Fault::Refused,
          "snapshot {} is not in the ring of {} any more, or not yet: choose another, or 0 for the "
          "newest",
          this->Snapshot, this->ContactFile);
      }
      if (this->Snapshot != 0)
      {
        internals.Shows(*this, internals.List.All().front());
      }
    }
    catch (const std::exception& error)
    {
      internals.ListError = error.what();
    }
  }
  const int done = this->Superclass::RequestDataObject(request, inputVector, outputVector);
  // By now each rank has it open, or it could not be opened.
  internals.List.Release();
  return done;
}

// What is read stays for all ranks: each comes to it in its own time.
int vtkDSMReader::RequestData(
  vtkInformation* request, vtkInformationVector** inputVector, vtkInformationVector* outputVector)
{
  auto& internals = *this->Internals;
  internals.IsReading = true;
  const int done = this->Superclass::RequestData(request, inputVector, outputVector);
  internals.IsReading = false;
  internals.Reading.reset();
  return done;
}

std::string vtkDSMReader::ChooseFile(const double* requestedTime)
{
  auto& internals = *this->Internals;
  if (!internals.ListError.empty())
  {
    throw dsm::Error(dsm::Fault::System, "{}", internals.ListError);
  }
  const auto& all = internals.List.All();
  if (this->ContactFile.empty() || all.empty())
  {
    return {};
  }
  const auto* chosen = requestedTime ? internals.List.At(*requestedTime) : nullptr;
  const auto& wanted = chosen ? *chosen : all.back();
  if (internals.IsReading)
  {
    internals.Reading = internals.List.Read(wanted, vtkInternals::Selected(*this));
    return internals.Reading->Snapshot.Name;
  }
  return wanted.Name;
}

bool vtkDSMReader::TimeOf(const std::string& name, double& time)
{
  const auto* snapshot = this->Internals->Named(name);
  if (!snapshot)
  {
    return false;
  }
  auto shown = *snapshot;
  if (!this->Internals->List.Named(name))
  {
    this->Superclass::TimeOf(name, shown.Time); // newer than the list: nobody has looked into it
  }
  time = shown.Time;
  vtkInternals::Shows(*this, shown);
  return true;
}

std::string vtkDSMReader::SimulatedName(const std::string& name)
{
  const auto* snapshot = this->Internals->Named(name);
  return snapshot ? snapshot->FileName : name;
}

// One snapshot by its number is the same at all times, unless it holds several steps: a pipeline
// that moves in time need not read it again, when it may be gone.
std::vector<double> vtkDSMReader::OfferedTimes(const std::vector<double>& steps)
{
  if (this->Snapshot != 0)
  {
    return steps;
  }
  return this->Internals->List.Times();
}

// The newest may be dropped for a newer one; who asks for a number holds it, or takes what comes.
bool vtkDSMReader::MayVanish()
{
  return this->Snapshot == 0;
}

vtkIdTypeArray* vtkDSMReader::GetListedSnapshots()
{
  return this->Internals->Numbers;
}

vtkDoubleArray* vtkDSMReader::GetListedTimes()
{
  return this->Internals->Times;
}

int vtkDSMReader::CanReadFile(const char* name)
{
  return name && dsm::readers::IsContactFile(name) ? 1 : 0;
}

void vtkDSMReader::Refresh()
{
  if (this->ContactFile.empty() || this->Snapshot != 0)
  {
    return;
  }
  try
  {
    this->Internals->UseDriver();
    const auto selected = vtkInternals::Selected(*this);
    if (this->Internals->List.Renew(selected))
    {
      this->Internals->Renewed = selected;
      this->Modified();
    }
  }
  catch (const std::exception& error)
  {
    // On all ranks: rank 0's pipeline will say it when it comes to ask for itself.
    if (this->Internals->ListError != error.what())
    {
      this->Modified();
    }
  }
}

void vtkDSMReader::PrintSelf(ostream& os, vtkIndent indent)
{
  this->Superclass::PrintSelf(os, indent);
  os << indent << "ContactFile: " << this->ContactFile << "\n";
  os << indent << "Snapshot: " << this->Snapshot << "\n";
  os << indent << "FilePattern: " << this->FilePattern << "\n";
  os << indent << "ShownSnapshot: " << this->ShownSnapshot << "\n";
}
