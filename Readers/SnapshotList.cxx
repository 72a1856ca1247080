// SPDX-License-Identifier: BSD-3-Clause
#include "SnapshotList.h"

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/NodeIdentity.h"
#include "Collectives.h"
#include "CrashNote.h"
#include "CrashRecord.h"
#include "Describe/Hdf5Facts.h"
#include "Describe/Hdf5File.h"
#include "Describe/RecipeValues.h"
#include "Describe/Recognisers.h"
#include "Describe/SourceFolder.h"
#include "Describe/XdmfFinder.h"
#include "Driver/LiveDirectory.h"
#include "Encoding/Encoding.h"
#include "Peer/Connection.h"
#include "Peer/Connections.h"
#include "Peer/Peek.h"
#include "Peer/SnapshotLease.h"
#include "Server/Core/StreamBook.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include <unistd.h>

namespace dsm::readers
{

namespace
{
// What rank 0 tells the other ranks.
struct RootReply
{
  std::string Error;      ///< empty when all went well
  bool Unchanged = false; ///< then there is no list
  std::string Viewer;
  std::string Session;
  bool IsStream = false;
  std::vector<ListedSnapshot> Snapshots;
};

void Describe(Fields& fields, RootReply& reply)
{
  fields("Error", reply.Error);
  fields("Unchanged", reply.Unchanged);
  fields("Viewer", reply.Viewer);
  fields("Session", reply.Session);
  fields("IsStream", reply.IsStream);
  fields.List("Snapshots", reply.Snapshots,
    [&](ListedSnapshot& one)
    {
      fields.Record(nullptr,
        [&]
        {
          fields("Number", one.Number);
          fields("Name", one.Name);
          fields("FileName", one.FileName);
          fields("Time", one.Time);
          fields("Parts", one.Parts);
        });
    });
}

// Rank 0 asks; all ranks return its answer, or throw its error.
RootReply AskOnRoot(const std::function<RootReply()>& ask)
{
  RootReply reply;
  if (Rank() == 0)
  {
    try
    {
      reply = ask();
    }
    catch (const std::exception& error)
    {
      reply.Error = error.what();
    }
  }
  const Bytes mine = EncodeFields([&](Fields& fields) { Describe(fields, reply); });
  const std::string shared = BroadcastFromRoot(std::string(mine.begin(), mine.end()));
  DecodeFields(shared.data(), shared.size(), "rank 0's list",
    [&](Fields& fields) { Describe(fields, reply); });
  if (!reply.Error.empty())
  {
    throw Error(Fault::System, reply.Error);
  }
  return reply;
}

// A name that no other list has, in any process on any machine.
std::string UniqueName()
{
  static std::atomic<unsigned> last{ 0 };
  return fmt::format("{} {} {}", NodeIdentity(), getpid(), ++last);
}

std::shared_ptr<Connection> ServerOf(const std::string& contactFile)
{
  return connections::Get(
    contactFile, "viewer", static_cast<std::uint64_t>(Size()), Deadline(RequestTimeout()));
}

// With the step as its time.
ListedSnapshot AsListed(const Connection& server, const SnapshotDescription& snapshot)
{
  return { snapshot.Number, SnapshotName(server.ContactPath(), snapshot.Number), snapshot.FileName,
    snapshot.Step, snapshot.Parts };
}

std::vector<ListedSnapshot> WithSteps(
  const Connection& server, const std::vector<SnapshotDescription>& snapshots)
{
  std::vector<ListedSnapshot> list;
  list.reserve(snapshots.size());
  for (const SnapshotDescription& one : snapshots)
  {
    list.push_back(AsListed(server, one));
  }
  return list;
}

// Where they are a stream's: what an earlier run has written has the times of the last one. Returns
// whether they are.
bool EraseEarlierRuns(const std::string& pattern, std::vector<SnapshotDescription>& snapshots)
{
  if (snapshots.empty() || !NamesStream(pattern, snapshots.back().Stream, snapshots.back().Run))
  {
    return false;
  }
  std::erase_if(
    snapshots, [run = snapshots.back().Run](const auto& one) { return one.Run != run; });
  return true;
}

// ParaView passes times as text in some places, which rounds them.
double Tolerance(double time)
{
  return 1e-9 * std::max(1.0, std::abs(time));
}

// Those with a time that others have as well.
void KeepTimesOf(const std::vector<ListedSnapshot>& others, std::vector<ListedSnapshot>& snapshots)
{
  std::erase_if(snapshots,
    [&](const ListedSnapshot& one)
    {
      return std::none_of(others.begin(), others.end(), [&](const ListedSnapshot& other)
        { return std::abs(other.Time - one.Time) <= Tolerance(one.Time); });
    });
}

std::vector<SnapshotId> NumbersOf(const auto& snapshots)
{
  std::vector<SnapshotId> numbers;
  numbers.reserve(snapshots.size());
  for (const auto& one : snapshots)
  {
    numbers.push_back(one.Number);
  }
  return numbers;
}

// Returns the time of the last step that is described, in the file or beside it.
std::optional<double> TimeInXdmf(hid_t file, const ListedSnapshot& snapshot)
{
  try
  {
    const auto described =
      describe::RecogniseXdmf(file, AbsoluteName(snapshot.FileName), std::nullopt);
    return described ? described->Time : std::nullopt;
  }
  catch (const Error&)
  {
    return std::nullopt; // who reads it is told why
  }
}

// The time of a snapshot; none: the step is the time.
struct FoundTime
{
  std::optional<double> Time{};
  /// The simulation may write the text that says it behind the file.
  bool MayChange = false;
};

// Finds the time where the user says, else where all look, else where its format has it.
FoundTime TimeOf(const ListedSnapshot& snapshot, const std::string& from)
{
  const hdf5::SourceFolder folder(snapshot.FileName);
  try
  {
    crashes::Refuse({ snapshot.Name, {}, snapshot.FileName });
  }
  catch (const Error&)
  {
    return {}; // who reads it is told why
  }
  const CrashNote note(snapshot.Name);
  const auto file = hdf5::OpenFile(snapshot.Name);
  const describe::Hdf5Facts facts(file);
  if (!from.empty())
  {
    const auto times = describe::RecipeValues(facts).Numbers(from);
    // Who reads it is told of none.
    return times.empty() ? FoundTime() : FoundTime{ times.back() };
  }
  if (const auto time = TimeInXdmf(file, snapshot))
  {
    return { time, true };
  }
  if (const auto time = facts.Time())
  {
    return { time };
  }
  try
  {
    const auto described = describe::RecogniseAny({ facts, snapshot.FileName });
    return described ? FoundTime{ described->Time } : FoundTime();
  }
  catch (const Error&)
  {
    return {}; // who reads it is told why
  }
}
}

std::string SimulatedName(const std::string& name)
{
  const auto reference = ParseSnapshotName(name);
  if (!reference || !IsContactFile(reference->ContactFile))
  {
    return name;
  }
  try
  {
    const auto found =
      SnapshotLease::Newest(ServerOf(AbsoluteName(reference->ContactFile)), {}, reference->Number);
    return found.Snapshots.empty() ? name : found.Snapshots.front().FileName;
  }
  catch (const Error&)
  {
    return name; // opening it will say what is wrong
  }
}

bool IsContactFile(const std::string& path)
{
  return LiveDirectory("viewer", 1).IsContactFile(path);
}

// On rank 0. Returns the list, or nothing if it has not changed and `ifChanged` is set.
std::optional<std::vector<ListedSnapshot>> SnapshotList::Fetch(
  const Selection& selection, bool ifChanged)
{
  // Opens files for their times; that does not count as reading them.
  const Peek peek;
  const auto server = ServerOf(selection.ContactFile);
  const bool otherServer = this->Session != server->Server()->Session;
  const bool otherTimes = this->TimeFrom != selection.TimeFrom;
  const bool mayBeUnchanged = ifChanged && !otherServer && !otherTimes;
  const auto forgetOthers = [&]
  {
    if (otherServer || otherTimes)
    {
      this->Session = server->Server()->Session;
      this->TimeFrom = selection.TimeFrom;
      this->KnownTimes.clear();
    }
  };
  std::map<SnapshotId, std::optional<double>> times;
  if (selection.Time)
  {
    forgetOthers();
    auto one = this->OfTime(server, selection, times);
    this->KnownTimes = std::move(times);
    if (mayBeUnchanged && this->IsSame(NumbersOf(one)))
    {
      return std::nullopt;
    }
    this->IsStream = false;
    this->Held = one.empty() ? nullptr
                             : std::make_shared<SnapshotLease>(std::move(
                                 SnapshotLease::Newest(server, {}, one.back().Number).Newest));
    return one;
  }
  // One that is selected by its number may be of any stream.
  const std::string pattern = selection.Number == 0 ? selection.Pattern : std::string();
  auto found = SnapshotLease::Newest(server, pattern, selection.Number);
  const bool isStream = EraseEarlierRuns(pattern, found.Snapshots);
  const bool compares = !selection.OnlyTimesOf.empty() && selection.Number == 0;
  if (mayBeUnchanged &&
    (found.Snapshots.empty() || (!compares && this->IsSame(NumbersOf(found.Snapshots)))))
  {
    return std::nullopt;
  }
  forgetOthers();
  auto list = selection.FindsTime ? this->WithTimes(*server, found.Snapshots, times)
                                  : WithSteps(*server, found.Snapshots);
  if (compares)
  {
    auto others = SnapshotLease::Newest(server, selection.OnlyTimesOf, 0);
    EraseEarlierRuns(selection.OnlyTimesOf, others.Snapshots);
    KeepTimesOf(this->WithTimes(*server, others.Snapshots, times), list);
  }
  // Without the times of snapshots that have left the ring.
  this->KnownTimes = std::move(times);
  if (mayBeUnchanged && compares && this->IsSame(NumbersOf(list)))
  {
    return std::nullopt;
  }
  this->IsStream = isStream;
  if (compares && !list.empty())
  {
    found = SnapshotLease::Newest(server, {}, list.back().Number);
  }
  this->Held = std::make_shared<SnapshotLease>(std::move(found.Newest));
  return list;
}

// Returns the snapshot of the selected time, or nothing. Only rank 0 calls it.
std::vector<ListedSnapshot> SnapshotList::OfTime(const std::shared_ptr<Connection>& server,
  const Selection& selection, std::map<SnapshotId, std::optional<double>>& times) const
{
  const auto withTime = [&](const std::vector<SnapshotDescription>& candidates)
  {
    auto list = this->WithTimes(*server, candidates, times);
    std::erase_if(list, [time = *selection.Time](const ListedSnapshot& one)
      { return std::abs(one.Time - time) > Tolerance(time); });
    return list;
  };
  if (selection.Number != 0)
  {
    // Another server has other snapshots by the same numbers.
    auto numbered = SnapshotLease::Newest(server, {}, selection.Number);
    std::erase_if(numbered.Snapshots, [&](const SnapshotDescription& one)
      { return !FitsStream(selection.Pattern, one.FileName, one.Stream, one.Run); });
    if (auto list = withTime(numbered.Snapshots); !list.empty())
    {
      return list;
    }
  }
  auto found = SnapshotLease::Newest(server, selection.Pattern, 0);
  EraseEarlierRuns(selection.Pattern, found.Snapshots);
  auto list = withTime(found.Snapshots);
  if (list.size() > 1)
  {
    list.erase(list.begin(), std::prev(list.end()));
  }
  return list;
}

bool SnapshotList::IsSame(const std::vector<SnapshotId>& numbers) const
{
  return numbers == NumbersOf(this->Snapshots);
}

// Enters their times, those that are known and the others.
std::vector<ListedSnapshot> SnapshotList::WithTimes(const Connection& server,
  const std::vector<SnapshotDescription>& snapshots,
  std::map<SnapshotId, std::optional<double>>& times) const
{
  std::vector<ListedSnapshot> list;
  for (const auto& description : snapshots)
  {
    auto snapshot = AsListed(server, description);
    const auto known = this->KnownTimes.find(snapshot.Number);
    try
    {
      const FoundTime found = known != this->KnownTimes.end() ? FoundTime{ known->second }
                                                              : TimeOf(snapshot, this->TimeFrom);
      if (!found.MayChange || snapshot.Number != snapshots.back().Number)
      {
        times[snapshot.Number] = found.Time;
      }
      snapshot.Time = found.Time.value_or(snapshot.Time);
    }
    catch (const Error&)
    {
      continue; // it has left the ring since the server listed it
    }
    list.push_back(std::move(snapshot));
  }
  return list;
}

// Collective. Returns whether there is a new list.
bool SnapshotList::FetchForAll(const Selection& selection, bool ifChanged)
{
  RootReply reply = AskOnRoot(
    [&]
    {
      RootReply mine;
      auto list = this->Fetch(selection, ifChanged);
      mine.Unchanged = !list;
      mine.Viewer = this->Name.empty() ? UniqueName() : this->Name;
      if (list)
      {
        mine.Session = this->Session;
        mine.IsStream = this->IsStream;
        mine.Snapshots = std::move(*list);
      }
      return mine;
    });
  if (reply.Unchanged)
  {
    return false;
  }
  this->Name = reply.Viewer;
  ++this->Generation;
  this->Session = reply.Session;
  this->IsStream = reply.IsStream;
  this->Snapshots = std::move(reply.Snapshots);
  return true;
}

void SnapshotList::Update(const Selection& selection)
{
  this->Release();
  this->FetchForAll(selection, false);
}

bool SnapshotList::UpdateIfChanged(const Selection& selection)
{
  return this->FetchForAll(selection, true);
}

std::optional<SnapshotList::Reading> SnapshotList::Read(
  const ListedSnapshot& wanted, const Selection& selection) const
{
  const auto server = ServerOf(selection.ContactFile);
  const bool otherServer = server->Server()->Session != this->Session;
  const bool anyOther = selection.Number == 0 && selection.OnlyTimesOf.empty() && !selection.Time;
  try
  {
    // No snapshot has the number 0.
    auto hold = std::make_shared<SnapshotLease>(SnapshotLease::Together(server,
      otherServer ? SnapshotId(0) : wanted.Number,
      anyOther ? std::optional(selection.Pattern) : std::nullopt,
      { fmt::format("{} {}", this->Name, this->Generation), static_cast<std::uint64_t>(Size()) }));
    const auto& found = hold->Description();
    const bool isWanted = !otherServer && found.Number == wanted.Number;
    return Reading{ isWanted ? wanted : AsListed(*server, found), std::move(hold) };
  }
  catch (const Error& error)
  {
    if (!otherServer || error.GetFault() != Fault::Refused)
    {
      throw;
    }
    return std::nullopt;
  }
}

std::shared_ptr<const SnapshotLease> SnapshotList::Spare(
  const Reading& reading, const Selection& selection)
{
  return std::make_shared<SnapshotLease>(
    SnapshotLease::Spare(ServerOf(selection.ContactFile), reading.Snapshot.Number));
}

SnapshotList::Reading SnapshotList::ReadPart(SnapshotId number, const Selection& selection)
{
  const auto server = ServerOf(selection.ContactFile);
  OpenSnapshot request;
  request.Number = number;
  request.Peek = true; // the whole was read when it is given back
  auto hold = std::make_shared<SnapshotLease>(SnapshotLease::Open(server, request));
  return { AsListed(*server, hold->Description()), std::move(hold) };
}

const ListedSnapshot* SnapshotList::At(double time) const
{
  const double tolerance = Tolerance(time);
  const ListedSnapshot* latest = nullptr;
  for (const ListedSnapshot& snapshot : this->Snapshots)
  {
    if (snapshot.Time <= time + tolerance && (!latest || snapshot.Time >= latest->Time) &&
      (this->IsStream || snapshot.Time >= time - tolerance))
    {
      latest = &snapshot;
    }
  }
  return latest;
}

const ListedSnapshot* SnapshotList::Named(const std::string& name) const
{
  const auto found = std::find_if(this->Snapshots.begin(), this->Snapshots.end(),
    [&](const ListedSnapshot& snapshot) { return snapshot.Name == name; });
  return found == this->Snapshots.end() ? nullptr : &*found;
}

std::vector<double> SnapshotList::Times() const
{
  std::vector<double> times;
  times.reserve(this->Snapshots.size());
  for (const auto& snapshot : this->Snapshots)
  {
    times.push_back(snapshot.Time);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}
