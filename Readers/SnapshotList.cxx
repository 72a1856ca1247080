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

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

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

// What the server has of a selection. The time is still the step.
std::vector<ListedSnapshot> Ask(Connection& server, const SnapshotList::Selection& selection)
{
  std::vector<ListedSnapshot> found;
  const auto answer = server.Ask("snapshots", json::object());
  for (const auto& snapshot : answer.at("snapshots").get<std::vector<SnapshotDescription>>())
  {
    if ((selection.Number == 0 || selection.Number == snapshot.Number) &&
      (selection.Pattern.empty() || MatchesPattern(selection.Pattern, snapshot.FileName)))
    {
      found.push_back({ snapshot.Number, SnapshotName(server.ContactPath(), snapshot.Number),
        snapshot.FileName, snapshot.Step });
    }
  }
  return found;
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
      Ask(*ServerOf(AbsoluteName(reference->ContactFile)), { {}, {}, reference->Number });
    return found.empty() ? name : found.front().FileName;
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

// The list with the newest one held, on rank 0. A fast simulation may replace the newest before it
// could be opened: then there is a newer one.
std::vector<ListedSnapshot> SnapshotList::Fetch(const Selection& selection)
{
  const auto server = ServerOf(selection.ContactFile);
  if (this->Session != server->Server().Session)
  {
    this->Session = server->Server().Session;
    this->KnownTimes.clear();
  }
  for (const Deadline deadline(RequestTimeout());;)
  {
    auto list = Ask(*server, selection);
    if (list.empty())
    {
      return list;
    }
    try
    {
      this->Held = hdf5::OpenFile(list.back().Name);
      return list;
    }
    catch (const Error&)
    {
      const auto now = Ask(*server, selection);
      const bool gone = std::none_of(now.begin(), now.end(),
        [&](const ListedSnapshot& one) { return one.Number == list.back().Number; });
      if (!gone || selection.Number != 0 || deadline.Expired())
      {
        throw;
      }
    }
  }
}

void SnapshotList::Update(const Selection& selection)
{
  this->Release();
  // Only to learn of times, and to keep the newest where it is.
  const Peek peek;
  const json told = AskOnce(
    [&]() -> json
    {
      json list = json::array();
      std::map<std::uint64_t, double> times;
      for (auto& snapshot : this->Fetch(selection))
      {
        const auto known = this->KnownTimes.find(snapshot.Number);
        try
        {
          times[snapshot.Number] = known != this->KnownTimes.end()
            ? known->second
            : hdf5::StatedTime(hdf5::OpenFile(snapshot.Name)).value_or(snapshot.Time);
        }
        catch (const Error&)
        {
          continue; // an old one, gone since the server listed it
        }
        list.push_back(
          { snapshot.Number, snapshot.Name, snapshot.FileName, times[snapshot.Number] });
      }
      this->KnownTimes.merge(times);
      return { { "viewer", this->Name.empty() ? NewName() : this->Name }, { "list", list } };
    });
  told.at("viewer").get_to(this->Name);
  this->Snapshots.clear();
  for (const auto& entry : told.at("list"))
  {
    this->Snapshots.push_back({ entry[0].get<std::uint64_t>(), entry[1].get<std::string>(),
      entry[2].get<std::string>(), entry[3].get<double>() });
  }
  // Times of snapshots that have left the ring are of no use.
  if (!this->Snapshots.empty() && selection.Number == 0)
  {
    this->KnownTimes.erase(
      this->KnownTimes.begin(), this->KnownTimes.lower_bound(this->Snapshots.front().Number));
  }
}

void SnapshotList::Release()
{
  this->Held = vtkHDF::ScopedH5FHandle();
}

bool SnapshotList::Outdated(const Selection& selection) const
{
  return AskOnce(
    [&]() -> json
    {
      const auto now = Ask(*ServerOf(selection.ContactFile), selection);
      return !std::equal(now.begin(), now.end(), this->Snapshots.begin(), this->Snapshots.end(),
        [](const ListedSnapshot& one, const ListedSnapshot& other)
        { return one.Number == other.Number; });
    })
    .get<bool>();
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
