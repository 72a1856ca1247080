// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMStreams.h"

#include <algorithm>

QVector<pqDSMStreams::Group> pqDSMStreams::groups(const pqDSMStatus& status)
{
  QVector<Group> groups;
  qint64 last = 0;
  for (const auto& snapshot : status.Snapshots)
  {
    last = std::max(last, snapshot.Run);
    const auto found = std::find_if(groups.begin(), groups.end(),
      [&](const Group& one) { return one.Stream == snapshot.Stream && one.Run == snapshot.Run; });
    if (found != groups.end())
    {
      found->Snapshots.append(snapshot);
      continue;
    }
    groups.append({ snapshot.Stream, snapshot.Run, snapshot.Program, true, { snapshot } });
  }
  for (auto& group : groups)
  {
    const bool isLast = std::none_of(groups.begin(), groups.end(),
      [&](const Group& other) { return other.Stream == group.Stream && other.Run > group.Run; });
    group.Current = isLast && (group.Run == last || status.RunsConnected.contains(group.Run));
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& one, const Group& other)
    { return one.Current != other.Current ? one.Current : !one.Current && one.Run > other.Run; });
  return groups;
}
