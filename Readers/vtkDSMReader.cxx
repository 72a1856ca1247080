// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMReader.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Collectives.h"
#include "Describe/Text.h"
#include "LiveDriver.h"
#include "SnapshotList.h"

#include <vtkDataArraySelection.h>
#include <vtkDoubleArray.h>
#include <vtkIdTypeArray.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>

#include <optional>

class vtkDSMReader::vtkInternals
{
public:
  dsm::readers::SnapshotList List;
  dsm::readers::SnapshotList ForTimes; ///< of ListTimes
  bool HasListedTimes = false;         ///< ListTimes was called since the list was updated
  // The error when the list was updated; the same on all ranks.
  std::string ListError;
  // The selection for which Refresh has updated the list, until the pipeline uses that.
  std::optional<dsm::readers::SnapshotList::Selection> Refreshed;
  // The number of the snapshot that was found for FixedTime; 0: none was. A later run may have
  // another one of that time.
  dsm::SnapshotId Fixed = 0;
  // During RequestData.
  bool IsReading = false;
  std::optional<dsm::readers::SnapshotList::Reading> Reading;
  // On rank 0, from one RequestData to the next: what is shown may have to be read again.
  std::shared_ptr<const dsm::SnapshotLease> Shown;
  vtkNew<vtkIdTypeArray> Numbers;
  vtkNew<vtkDoubleArray> Times;

  const dsm::readers::ListedSnapshot* Find(const std::string& name) const
  {
    return this->Reading && this->Reading->Snapshot.Name == name ? &this->Reading->Snapshot
                                                                 : this->Newest().Named(name);
  }

  // The list that was updated last.
  const dsm::readers::SnapshotList& Newest() const
  {
    return this->HasListedTimes ? this->ForTimes : this->List;
  }

  static void SetShown(vtkDSMReader& self, const dsm::readers::ListedSnapshot& snapshot)
  {
    self.ShownSnapshot = static_cast<vtkIdType>(snapshot.Number);
    self.ShownFile = snapshot.FileName;
    self.ShownTime = snapshot.Time;
  }

  void FillArrays(const dsm::readers::SnapshotList& list)
  {
    this->Numbers->Initialize();
    this->Times->Initialize();
    for (const auto& snapshot : list.All())
    {
      this->Numbers->InsertNextValue(static_cast<vtkIdType>(snapshot.Number));
      this->Times->InsertNextValue(snapshot.Time);
    }
  }

  static dsm::readers::SnapshotList::Selection SelectionOf(vtkDSMReader& self);
  static dsm::Error NotThere(const vtkDSMReader& self);

  // Enters the time of the one snapshot that was opened without having been looked into before. Its
  // file is open on all ranks, or on none.
  void EnterTime(vtkDSMReader& self)
  {
    try
    {
      std::optional<double> time;
      if (!self.FindTimeForList(time))
      {
        this->List.Update(SelectionOf(self));
      }
      else if (time)
      {
        this->List.SetTime(*time);
      }
      if (!this->List.All().empty())
      {
        this->FillArrays(this->List);
        SetShown(self, this->List.All().front());
      }
    }
    catch (const std::exception& error)
    {
      this->ListError = error.what();
    }
  }

  // Returns whether the snapshot of FixedTime was found, and can still be read as far as is known.
  bool HasFixed() const { return this->ListError.empty() && !this->List.All().empty(); }

  void SpareShown(vtkDSMReader& self)
  {
    if (dsm::readers::Rank() != 0 || !this->Reading)
    {
      return;
    }
    try
    {
      this->Shown = dsm::readers::SnapshotList::Spare(*this->Reading, SelectionOf(self));
    }
    catch (const std::exception&)
    {
      this->Shown.reset(); // the server does not reply: the next update says so
    }
  }
};

vtkStandardNewMacro(vtkDSMReader);

vtkDSMReader::vtkDSMReader()
  : Internals(std::make_unique<vtkInternals>())
{
}

vtkDSMReader::~vtkDSMReader() = default;

dsm::readers::SnapshotList::Selection vtkDSMReader::vtkInternals::SelectionOf(vtkDSMReader& self)
{
  dsm::readers::SnapshotList::Selection selection{ dsm::AbsoluteName(self.ContactFile),
    self.FilePattern, dsm::SnapshotId(static_cast<std::uint64_t>(self.Snapshot)),
    self.GetTimeFrom(), self.OnlyTimesOf };
  if (!self.FixedTime.empty())
  {
    selection.Time = dsm::describe::AsNumber(self.FixedTime);
    if (!selection.Time)
    {
      throw dsm::Error(
        dsm::Fault::Usage, "cannot use \"{}\" as Fixed Time: it is not a number", self.FixedTime);
    }
    selection.Number = self.Internals->Fixed != 0 ? self.Internals->Fixed : selection.Number;
  }
  return selection;
}

// Says why the one snapshot that is to be shown is not there.
dsm::Error vtkDSMReader::vtkInternals::NotThere(const vtkDSMReader& self)
{
  if (!self.FixedTime.empty())
  {
    return dsm::Error(dsm::Fault::Refused,
      "cannot show {} of time {}: {} does not have this snapshot, or not yet. It is shown as soon "
      "as it arrives.",
      self.FilePattern.empty() ? "the snapshot" : self.FilePattern, self.FixedTime,
      self.ContactFile);
  }
  return dsm::Error(dsm::Fault::Refused,
    "snapshot {} is not in the ring of {} any more, or not yet: choose another, or 0 for the "
    "newest",
    self.Snapshot, self.ContactFile);
}

int vtkDSMReader::RequestDataObject(
  vtkInformation* request, vtkInformationVector** inputVector, vtkInformationVector* outputVector)
{
  auto& internals = *this->Internals;
  internals.ListError.clear();
  // Opening the file finds out its time, if it is recognised by itself.
  const bool findsTime =
    this->Snapshot == 0 || !this->FixedTime.empty() || !this->IsRecognisedFreely();
  if (!this->ContactFile.empty())
  {
    try
    {
      dsm::readers::UseLiveDriver();
      // After Refresh the newest snapshot is held; another update would let it go.
      auto selection = vtkInternals::SelectionOf(*this);
      selection.FindsTime = findsTime;
      if (internals.Refreshed != selection)
      {
        internals.List.Update(selection);
      }
      internals.Refreshed.reset();
      internals.HasListedTimes = false;
      internals.FillArrays(internals.List);
      if (this->ShowsOne() && internals.List.All().empty())
      {
        throw vtkInternals::NotThere(*this);
      }
      if (this->ShowsOne())
      {
        internals.SetShown(*this, internals.List.All().front());
        internals.Fixed =
          this->FixedTime.empty() ? dsm::SnapshotId(0) : internals.List.All().front().Number;
      }
    }
    catch (const std::exception& error)
    {
      internals.ListError = error.what();
    }
  }
  const int done = this->Superclass::RequestDataObject(request, inputVector, outputVector);
  if (!findsTime && !this->ContactFile.empty() && internals.ListError.empty())
  {
    internals.EnterTime(*this);
  }
  // Each rank has opened the file now, or has failed to.
  internals.List.Release();
  return done;
}

// What is read is held for all ranks, which read at different times.
int vtkDSMReader::RequestData(
  vtkInformation* request, vtkInformationVector** inputVector, vtkInformationVector* outputVector)
{
  auto& internals = *this->Internals;
  internals.IsReading = true;
  const int done = this->Superclass::RequestData(request, inputVector, outputVector);
  internals.IsReading = false;
  internals.SpareShown(*this);
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
  const auto& list = internals.Newest();
  const auto& all = list.All();
  if (this->ContactFile.empty() || all.empty())
  {
    return {};
  }
  const auto* chosen = requestedTime ? list.At(*requestedTime) : nullptr;
  const auto& wanted = chosen ? *chosen : all.back();
  if (internals.IsReading)
  {
    internals.Reading = list.Read(wanted, vtkInternals::SelectionOf(*this));
    return internals.Reading ? internals.Reading->Snapshot.Name : std::string();
  }
  return wanted.Name;
}

std::size_t vtkDSMReader::PartsOf(const std::string& name)
{
  const auto* snapshot = this->Internals->Find(name);
  return snapshot ? snapshot->Parts.size() : 0;
}

void vtkDSMReader::WithPart(const std::string& name, std::size_t part, const ReadPart& read)
{
  const auto* snapshot = this->Internals->Find(name);
  const auto reading =
    dsm::readers::SnapshotList::ReadPart(snapshot->Parts[part], vtkInternals::SelectionOf(*this));
  read(reading.Snapshot.Name, reading.Snapshot.FileName);
}

bool vtkDSMReader::TimeOf(const std::string& name, double& time)
{
  const auto* snapshot = this->Internals->Find(name);
  if (!snapshot)
  {
    return false;
  }
  auto shown = *snapshot;
  if (!this->Internals->Newest().Named(name))
  {
    this->Superclass::TimeOf(name, shown.Time); // newer than the list, which has no time of it
  }
  time = shown.Time;
  vtkInternals::SetShown(*this, shown);
  return true;
}

std::string vtkDSMReader::SimulatedName(const std::string& name)
{
  const auto* snapshot = this->Internals->Find(name);
  return snapshot ? snapshot->FileName : name;
}

// A snapshot that was selected by its number has no time steps unless the file has several; one of
// a fixed time has none. So the pipeline does not read it again at another time, when it may have
// left the ring.
std::vector<double> vtkDSMReader::TimeSteps(const std::vector<double>& steps)
{
  if (!this->FixedTime.empty())
  {
    return {};
  }
  if (this->Snapshot != 0)
  {
    return steps;
  }
  return this->Internals->List.Times();
}

// Else the times are those of snapshots. A snapshot's time may be a count, which must not be taken
// for a time in its file.
bool vtkDSMReader::ChoosesStep()
{
  return this->Snapshot != 0 && this->FixedTime.empty();
}

// The newest may leave the ring for a newer one. A snapshot that is selected by its number or time
// is held by whoever selected it, or its loss is an error.
bool vtkDSMReader::MayVanish()
{
  return !this->ShowsOne();
}

void vtkDSMReader::SetSnapshot(vtkIdType number)
{
  if (this->Snapshot != number)
  {
    this->Snapshot = number;
    this->Internals->Fixed = 0;
    this->Modified();
  }
}

vtkIdTypeArray* vtkDSMReader::GetListedSnapshots()
{
  return this->Internals->Numbers;
}

vtkDoubleArray* vtkDSMReader::GetListedTimes()
{
  return this->Internals->Times;
}

void vtkDSMReader::SetFilePattern(const char* pattern)
{
  const std::string wanted = pattern ? pattern : "";
  if (this->FilePattern != wanted)
  {
    this->FilePattern = wanted;
    this->GetPointDataArraySelection()->RemoveAllArrays();
    this->GetCellDataArraySelection()->RemoveAllArrays();
    this->Modified();
  }
}

int vtkDSMReader::CanReadFile(const char* name)
{
  return name && dsm::readers::IsContactFile(name) ? 1 : 0;
}

void vtkDSMReader::Refresh()
{
  const bool isFixed = !this->FixedTime.empty();
  if (this->ContactFile.empty() || (isFixed ? this->Internals->HasFixed() : this->Snapshot != 0))
  {
    return;
  }
  try
  {
    dsm::readers::UseLiveDriver();
    const auto selection = vtkInternals::SelectionOf(*this);
    const bool isOther = this->Internals->List.UpdateIfChanged(selection);
    // After an error, the snapshot that was found before is read again.
    if (isOther || (isFixed && !this->Internals->List.All().empty()))
    {
      this->Internals->Refreshed = selection;
      this->Modified();
    }
  }
  catch (const std::exception& error)
  {
    // On all ranks: the next update reports it.
    if (this->Internals->ListError != error.what())
    {
      this->Modified();
    }
  }
}

void vtkDSMReader::ListTimes()
{
  auto& internals = *this->Internals;
  try
  {
    dsm::readers::UseLiveDriver();
    auto all = vtkInternals::SelectionOf(*this);
    all.Number = 0;
    all.Time.reset();
    internals.ForTimes.Update(all);
    internals.ForTimes.Release();
    internals.FillArrays(internals.ForTimes);
    const auto times = internals.ForTimes.Times();
    if (!this->ShowsOne() && !times.empty())
    {
      // Without a call of Modified, so that what is shown is not read again. Another time is.
      internals.HasListedTimes = true;
      vtkDSMReader::SetTimeSteps(this->GetOutputInformation(0), times);
    }
  }
  catch (const std::exception&)
  {
    internals.ForTimes.Release(); // the next update of the pipeline says what is wrong
  }
}

void vtkDSMReader::PrintSelf(ostream& os, vtkIndent indent)
{
  this->Superclass::PrintSelf(os, indent);
  os << indent << "ContactFile: " << this->ContactFile << "\n";
  os << indent << "Snapshot: " << this->Snapshot << "\n";
  os << indent << "FixedTime: " << this->FixedTime << "\n";
  os << indent << "FilePattern: " << this->FilePattern << "\n";
  os << indent << "OnlyTimesOf: " << this->OnlyTimesOf << "\n";
  os << indent << "ShownSnapshot: " << this->ShownSnapshot << "\n";
}
