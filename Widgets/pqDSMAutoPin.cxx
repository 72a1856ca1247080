// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMAutoPin.h"

#include "pqDSMFollower.h"
#include "pqDSMServerProxy.h"

#include <vtkSMPropertyHelper.h>
#include <vtkSMProxy.h>

#include <algorithm>
#include <utility>

namespace
{
// One is held, one is shown next, one is being written.
constexpr int LeastFiles = 3;

// Whether the status is as new as a snapshot that the reader has found by itself.
bool IsUpToDate(qint64 number, const pqDSMServerProxy& server)
{
  const auto& snapshots = server.status().Snapshots;
  return !snapshots.empty() && snapshots.last().Number >= number;
}

// Whether there is room for the simulation to go on, besides snapshots of so many bytes.
bool CanPin(qint64 number, qint64 others, const pqDSMServerProxy& server)
{
  const auto& status = server.status();
  const auto* snapshot = status.find(number);
  const int most = vtkSMPropertyHelper(server.proxy(), "MaximumSnapshots").GetAsInt();
  return snapshot && !snapshot->Pinned &&
    LeastFiles * (snapshot->FileSize + others) <= status.MemoryBudget &&
    (most == 0 || most >= LeastFiles); // 0: as many as fit
}
}

void pqDSMAutoPin::update(const pqDSMFollower& follower, pqDSMServerProxy& server)
{
  if (!server.proxy() || !server.status().running())
  {
    this->Held.clear();
    this->PinnedByUs.clear();
    return;
  }
  const QVector<qint64> wanted = follower.following() ? QVector<qint64>() : follower.allShown();
  if (wanted == this->Held ||
    std::any_of(wanted.begin(), wanted.end(), [&](qint64 one) { return !IsUpToDate(one, server); }))
  {
    return;
  }
  // Set before the commands, whose new status calls this function again.
  this->Held = wanted;
  const auto before = std::exchange(this->PinnedByUs, {});
  QVector<qint64> pin;
  qint64 bytes = 0;
  for (const qint64 number : wanted)
  {
    const bool pinned = before.contains(number);
    if (pinned || CanPin(number, bytes, server))
    {
      this->PinnedByUs.append(number);
      const auto* snapshot = server.status().find(number);
      bytes += snapshot ? snapshot->FileSize : 0;
      if (!pinned)
      {
        pin.append(number);
      }
    }
  }
  QVector<qint64> unpin = before;
  unpin.removeIf([&](qint64 number) { return wanted.contains(number); });
  if (!pin.empty() || !unpin.empty())
  {
    server.changePins(pin, unpin);
  }
}
