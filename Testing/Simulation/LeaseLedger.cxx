// SPDX-License-Identifier: BSD-3-Clause
#include "LeaseLedger.h"

namespace dsm::simulation
{

void LeaseLedger::Granted(const PeerId& peer, std::uint64_t lease, SnapshotId snapshot)
{
  if (!this->Leases[peer].emplace(lease, Lease{ snapshot, false }).second)
  {
    this->Notes.Fail("lease {} was granted twice", lease);
  }
}

void LeaseLedger::Taken(const PeerId& peer, std::uint64_t lease, SnapshotId snapshot)
{
  this->Granted(peer, lease, snapshot);
  this->Leases[peer][lease].IsTaken = true;
}

bool LeaseLedger::Has(const PeerId& peer, std::uint64_t lease) const
{
  const auto found = this->Leases.find(peer);
  return found != this->Leases.end() && found->second.contains(lease);
}

void LeaseLedger::Closed(const PeerId& peer, std::uint64_t lease)
{
  if (const auto found = this->Leases.find(peer); found != this->Leases.end())
  {
    found->second.erase(lease);
    if (found->second.empty())
    {
      this->Leases.erase(found);
    }
  }
}

void LeaseLedger::PeerLeft(const PeerId& peer)
{
  this->Leases.erase(peer);
}

void LeaseLedger::Revoked(SnapshotId snapshot)
{
  for (auto& [peer, leases] : this->Leases)
  {
    std::erase_if(leases, [&](const auto& lease) { return lease.second.Snapshot == snapshot; });
  }
}

void LeaseLedger::Check(const SnapshotTable& snapshots)
{
  for (const auto& [peer, leases] : this->Leases)
  {
    for (const auto& [number, lease] : leases)
    {
      if (!snapshots.Find(lease.Snapshot))
      {
        this->Notes.Fail(
          "lease {} of {} is on snapshot {}, which has left", number, peer, lease.Snapshot);
      }
      else if (!lease.IsTaken && !snapshots.IsKept(lease.Snapshot))
      {
        this->Notes.Fail(
          "snapshot {} may leave, and {} has lease {} on it", lease.Snapshot, peer, number);
      }
    }
  }
}

}
