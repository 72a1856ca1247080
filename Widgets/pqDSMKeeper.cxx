// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMKeeper.h"

#include "pqDSMFollower.h"
#include "pqDSMLink.h"

#include <vtkSMPropertyHelper.h>
#include <vtkSMProxy.h>

#include <algorithm>
#include <utility>

namespace
{
constexpr int FewestFiles = 3; // one held, one shown next, one being written

bool MayPin(qint64 number, const pqDSMLink& link)
{
  const auto& status = link.status();
  const auto found = std::find_if(status.Snapshots.begin(), status.Snapshots.end(),
    [number](const auto& snapshot) { return snapshot.Number == number; });
  return found != status.Snapshots.end() && !found->Pinned &&
    FewestFiles * found->FileSize <= status.MemoryBudget &&
    vtkSMPropertyHelper(link.proxy(), "MaximumSnapshots").GetAsInt() >= FewestFiles;
}
}

void pqDSMKeeper::look(const pqDSMFollower& follower, pqDSMLink& link)
{
  if (!link.proxy() || !link.status().running())
  {
    this->Held = 0;
    this->Ours = false;
    return;
  }
  const qint64 wanted = follower.following() ? 0 : follower.shown();
  if (wanted == this->Held)
  {
    return;
  }
  // Settled before the commands are given: they tell of a new status, and that comes here again.
  const qint64 before = std::exchange(this->Held, wanted);
  const bool release = std::exchange(this->Ours, wanted > 0 && MayPin(wanted, link));
  if (this->Ours)
  {
    link.pin(wanted, true);
  }
  if (release)
  {
    link.pin(before, false);
  }
}
