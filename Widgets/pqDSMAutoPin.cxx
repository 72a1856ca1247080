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
  return std::any_of(snapshots.begin(), snapshots.end(),
    [number](const auto& snapshot) { return snapshot.Number >= number; });
}

bool CanPin(qint64 number, const pqDSMServerProxy& server)
{
  const auto& status = server.status();
  const auto found = std::find_if(status.Snapshots.begin(), status.Snapshots.end(),
    [number](const auto& snapshot) { return snapshot.Number == number; });
  const int most = vtkSMPropertyHelper(server.proxy(), "MaximumSnapshots").GetAsInt();
  return found != status.Snapshots.end() && !found->Pinned &&
    LeastFiles * found->FileSize <= status.MemoryBudget &&
    (most == 0 || most >= LeastFiles); // 0: as many as fit
}
}

void pqDSMAutoPin::update(const pqDSMFollower& follower, pqDSMServerProxy& server)
{
  if (!server.proxy() || !server.status().running())
  {
    this->Held = 0;
    this->PinnedByUs = false;
    return;
  }
  const qint64 wanted = follower.following() ? 0 : follower.shown();
  if (wanted == this->Held || (wanted > 0 && !IsUpToDate(wanted, server)))
  {
    return;
  }
  // Set before the commands, whose new status calls this function again.
  const qint64 before = std::exchange(this->Held, wanted);
  const bool release = std::exchange(this->PinnedByUs, wanted > 0 && CanPin(wanted, server));
  if (this->PinnedByUs)
  {
    server.pin(wanted, true);
  }
  if (release)
  {
    server.pin(before, false);
  }
}
