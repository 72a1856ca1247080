// SPDX-License-Identifier: BSD-3-Clause
#include "SnapshotList.h"

#include "Agreement.h"
#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/NodeIdentity.h"
#include "Driver/LiveDirectory.h"
#include "Hdf5File.h"
#include "Session/Connection.h"
#include "Session/Connections.h"
#include "Session/Peek.h"
#include "Session/SnapshotHold.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <optional>

#include <unistd.h>

using nlohmann::json;

namespace dsm::readers
{

namespace
{
// Rank 0 asks, all ranks get its answer or throw its error.
json AskOnce(const std::function<json()>& ask)
{
  json answer;
  if (Rank() == 0)
  {
    try
    {
      answer = { { "answer", ask() } };
    }
    catch (const std::exception& error)
    {
      answer = { { "error", error.what() } };
    }
  }
  // CBOR: file names need not be UTF-8, which JSON's text would ask for.
  std::string told;
  json::to_cbor(answer, told);
  answer = json::from_cbor(FromRoot(told));
  if (answer.contains("error"))
  {
    throw Error(Fault::System, answer.at("error").get<std::string>());
  }
  return answer.at("answer");
}

// Of one list in one process; no other on any machine has it.
std::string NewName()
{
  static std::atomic<unsigned> last{ 0 };
  return fmt::format("{} {} {}", NodeIdentity(), getpid(), ++last);
}

std::shared_ptr<Connection> ServerOf(const std::string& contactFile)
{
  return connections::Get(
    contactFile, "viewer", static_cast<std::uint64_t>(Size()), Deadline(RequestTimeout()));
}

// The time is still the step.
ListedSnapshot Listed(const Connection& server, const SnapshotDescription& snapshot)
{
  return { snapshot.Number, SnapshotName(server.ContactPath(), snapshot.Number), snapshot.FileName,
    snapshot.Step };
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
      SnapshotHold::Newest(ServerOf(AbsoluteName(reference->ContactFile)), {}, reference->Number);
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

// On rank 0: the list; none where only another one is asked for, and it is the same.
std::optional<std::vector<ListedSnapshot>> SnapshotList::Fetch(
  const Selection& selection, bool onlyNew)
{
  // Only to learn of times.
  const Peek peek;
  const auto server = ServerOf(selection.ContactFile);
  const bool otherServer = this->Session != server->Server().Session;
  auto found = SnapshotHold::Newest(server, selection.Pattern, selection.Number);
  const bool same = std::equal(found.Snapshots.begin(), found.Snapshots.end(),
    this->Snapshots.begin(), this->Snapshots.end(),
    [](const auto& one, const ListedSnapshot& other) { return one.Number == other.Number; });
  if (onlyNew && !otherServer && (same || found.Snapshots.empty()))
  {
    return std::nullopt;
  }
  if (otherServer)
  {
    this->Session = server->Server().Session;
    this->KnownTimes.clear();
  }
  this->Held = std::make_shared<SnapshotHold>(std::move(found.Newest));
  std::vector<ListedSnapshot> list;
  std::map<std::uint64_t, double> times;
  for (const auto& description : found.Snapshots)
  {
    auto snapshot = Listed(*server, description);
    const auto known = this->KnownTimes.find(snapshot.Number);
    try
    {
      snapshot.Time = known != this->KnownTimes.end()
        ? known->second
        : hdf5::StatedTime(hdf5::OpenFile(snapshot.Name)).value_or(snapshot.Time);
    }
    catch (const Error&)
    {
      continue; // an old one, gone since the server listed it
    }
    times[snapshot.Number] = snapshot.Time;
    list.push_back(std::move(snapshot));
  }
  // Times of snapshots that have left the ring are of no use.
  this->KnownTimes = std::move(times);
  return list;
}

// Collective: whether there was something to learn.
bool SnapshotList::Learn(const Selection& selection, bool onlyNew)
{
  const json told = AskOnce(
    [&]() -> json
    {
      const auto list = this->Fetch(selection, onlyNew);
      if (!list)
      {
        return nullptr;
      }
      json rows = json::array();
      for (const auto& one : *list)
      {
        rows.push_back({ one.Number, one.Name, one.FileName, one.Time });
      }
      return { { "viewer", this->Name.empty() ? NewName() : this->Name }, { "list", rows } };
    });
  if (told.is_null())
  {
    return false;
  }
  told.at("viewer").get_to(this->Name);
  ++this->Generation;
  this->Snapshots.clear();
  for (const auto& row : told.at("list"))
  {
    this->Snapshots.push_back({ row[0].get<std::uint64_t>(), row[1].get<std::string>(),
      row[2].get<std::string>(), row[3].get<double>() });
  }
  return true;
}

void SnapshotList::Update(const Selection& selection)
{
  this->Release();
  this->Learn(selection, false);
}

bool SnapshotList::Renew(const Selection& selection)
{
  return this->Learn(selection, true);
}

SnapshotList::Reading SnapshotList::Read(
  const ListedSnapshot& wanted, const Selection& selection) const
{
  const auto server = ServerOf(selection.ContactFile);
  auto hold = std::make_shared<SnapshotHold>(SnapshotHold::Together(server, wanted.Number,
    selection.Number == 0 ? std::optional(selection.Pattern) : std::nullopt,
    { fmt::format("{} {}", this->Name, this->Generation), static_cast<std::uint64_t>(Size()) }));
  const auto& found = hold->Description();
  return { found.Number == wanted.Number ? wanted : Listed(*server, found), std::move(hold) };
}

const ListedSnapshot* SnapshotList::At(double time) const
{
  // Times travel through ParaView's properties and animations as text now and then.
  const double tolerance = 1e-9 * std::max(1.0, std::abs(time));
  const auto found = std::find_if(this->Snapshots.rbegin(), this->Snapshots.rend(),
    [&](const ListedSnapshot& snapshot) { return std::abs(snapshot.Time - time) <= tolerance; });
  return found == this->Snapshots.rend() ? nullptr : &*found;
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
