// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMStreams.h"

#include <QObject>

#include <algorithm>

QVector<pqDSMStreams::Group> pqDSMStreams::groups(const pqDSMStatus& status)
{
  QVector<Group> groups;
  for (const auto& snapshot : status.Snapshots)
  {
    const auto found = std::find_if(groups.begin(), groups.end(),
      [&](const Group& one) { return one.Stream == snapshot.Stream && one.Run == snapshot.Run; });
    if (found != groups.end())
    {
      found->Snapshots.append(snapshot);
      continue;
    }
    groups.append({ snapshot.Stream, snapshot.Run, snapshot.Program, true, { snapshot } });
    const auto run = std::find_if(status.Runs.begin(), status.Runs.end(),
      [&](const auto& each) { return each.Number == snapshot.Run; });
    if (run != status.Runs.end())
    {
      groups.last().Origin = *run;
    }
  }
  qint64 last = 0;
  qint64 lastOfSimulations = 0;
  for (const auto& group : groups)
  {
    last = std::max(last, group.Run);
    lastOfSimulations = std::max(lastOfSimulations, group.isRestored() ? qint64(0) : group.Run);
  }
  for (auto& group : groups)
  {
    const bool isLast = std::none_of(groups.begin(), groups.end(),
      [&](const Group& other) { return other.Stream == group.Stream && other.Run > group.Run; });
    group.Current = isLast &&
      (group.Run == last || group.Run == lastOfSimulations ||
        status.RunsConnected.contains(group.Run));
  }
  for (const auto& run : status.Runs)
  {
    const auto isOf = [&](const Group& group) { return group.Run == run.Number; };
    auto telling = std::find_if(groups.begin(), groups.end(),
      [&](const Group& group) { return isOf(group) && group.Stream == run.FromStream; });
    telling = telling == groups.end() ? std::find_if(groups.begin(), groups.end(), isOf) : telling;
    if (run.FromRun != 0 && telling != groups.end())
    {
      telling->TellsOrigin = true;
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& one, const Group& other)
    { return one.Current != other.Current ? one.Current : !one.Current && one.Run > other.Run; });
  return groups;
}

const QVector<pqDSMStreams::Group>& pqDSMStreams::Cache::of(const pqDSMStatus& status)
{
  if (!pqDSMStatus::isSame(status.Snapshots, this->Snapshots) || status.Runs != this->Runs ||
    status.RunsConnected != this->RunsConnected)
  {
    this->Snapshots = status.Snapshots;
    this->Runs = status.Runs;
    this->RunsConnected = status.RunsConnected;
    this->Groups = pqDSMStreams::groups(status);
  }
  return this->Groups;
}

QString pqDSMStreams::title(const QVector<Group>& groups, const Group& group)
{
  const auto runs = std::count_if(
    groups.begin(), groups.end(), [&](const Group& other) { return other.Stream == group.Stream; });
  return runs > 1 ? QObject::tr("%1, run %2").arg(group.Stream).arg(group.Run) : group.Stream;
}
