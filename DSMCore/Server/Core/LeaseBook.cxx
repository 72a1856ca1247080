// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/LeaseBook.h"

#include "Base/Error.h"
#include "Server/Core/SnapshotTable.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// How long a snapshot stays for the ranks of a viewer that have not come to read it yet.
const Seconds JointReadLimit(10);
}

LeaseBook::LeaseBook(SnapshotTable& snapshots, const CoreTime& time)
  : Snapshots(snapshots)
  , Joint(JointReadLimit, time)
{
}

// Each of its ranks may open files by itself.
void LeaseBook::RequireRoom(const PeerId& peer, std::uint64_t processes) const
{
  const std::uint64_t most = Most * std::max<std::uint64_t>(1, processes);
  const auto found = this->Leases.find(peer);
  if (found != this->Leases.end() && found->second.size() >= most)
  {
    throw Error(Fault::Refused,
      "this program has {} snapshots open at the DSM server, which is the most: close some", most);
  }
}

const SnapshotDescription& LeaseBook::Open(
  const PeerId& peer, std::uint64_t number, const OpenSnapshot& message, bool isGuest)
{
  const SnapshotDescription& snapshot = this->Chosen(message);
  Lease lease{ snapshot.Number, message.Peek || isGuest };
  lease.Spare = message.Spare;
  if (message.Together)
  {
    lease.Viewer = message.Together->Name;
    lease.Wanted = message.Number.value_or(SnapshotId(0));
    if (this->Joint.Opened(
          lease.Wanted, lease.Viewer, peer, message.Together->Ranks, snapshot.Number))
    {
      this->Snapshots.Retain(snapshot.Number);
    }
  }
  this->Retain(peer, number, std::move(lease));
  return snapshot;
}

// The snapshot a message names by number or by file name. Who reads together gets what the first of
// them got; who takes another one instead, the newest where its own has gone.
const SnapshotDescription& LeaseBook::Chosen(const OpenSnapshot& message) const
{
  if (message.Master != 0)
  {
    return this->Snapshots.Version(
      message.File, message.Number.value_or(SnapshotId(0)), message.Master);
  }
  std::optional<SnapshotId> number = message.Number;
  if (number && message.Together)
  {
    number = this->Joint.Chosen(*number, message.Together->Name).value_or(*number);
  }
  if (!number)
  {
    this->RequireNewest(message);
  }
  const SnapshotDescription* found =
    number ? this->Snapshots.Find(*number) : this->Snapshots.NewestNamed(message.File);
  if (!found && message.Instead)
  {
    found = this->Snapshots.NewestMatching(*message.Instead);
  }
  if (!found)
  {
    this->Snapshots.ThrowNone(message.Number ? std::to_string(*message.Number)
        : message.File.empty()               ? "at all"
                                             : "\"" + message.File + "\"");
  }
  return *found;
}

// Nobody takes an older snapshot, or an older run's file on disk, for one that has left the ring.
void LeaseBook::RequireNewest(const OpenSnapshot& message) const
{
  const auto gone = this->Snapshots.GoneNamed(message.File);
  if (gone && message.OnDiskSince.value_or(0) < gone->SealedAt)
  {
    throw Error(Fault::Gone,
      "snapshot {} of {} has left the DSM server's ring to make room, and no file on disk is "
      "newer: keep more snapshots (more memory per host), or save them (dsm-serve --save)",
      gone->Number, message.File);
  }
}

std::uint64_t LeaseBook::Grant(const PeerId& peer, Lease lease)
{
  this->Retain(peer, this->NextNumber(), std::move(lease));
  return this->Last;
}

bool LeaseBook::Enter(const PeerId& peer, std::uint64_t number, Lease lease)
{
  const auto found = this->Leases.find(peer);
  if (number < HoldSnapshots::FirstLease || !this->Snapshots.Find(lease.Snapshot) ||
    (found != this->Leases.end() &&
      (found->second.size() >= Most || found->second.contains(number))))
  {
    return false;
  }
  this->Retain(peer, number, std::move(lease));
  return true;
}

std::uint64_t LeaseBook::Inherit(const PeerId& peer, SnapshotId snapshot)
{
  this->Leases[peer][this->NextNumber()] = { snapshot };
  return this->Last;
}

void LeaseBook::Retain(const PeerId& peer, std::uint64_t number, Lease lease)
{
  if (lease.Spare)
  {
    this->Snapshots.Spare(lease.Snapshot);
  }
  else if (lease.Taken)
  {
    this->Snapshots.Take(lease.Snapshot);
  }
  else
  {
    this->Snapshots.Retain(lease.Snapshot);
  }
  this->Leases[peer][number] = std::move(lease);
}

const SnapshotDescription* LeaseBook::Find(const PeerId& peer, std::uint64_t number) const
{
  const auto leases = this->Leases.find(peer);
  if (leases == this->Leases.end())
  {
    return nullptr;
  }
  const auto lease = leases->second.find(number);
  return lease == leases->second.end() ? nullptr : this->Snapshots.Find(lease->second.Snapshot);
}

bool LeaseBook::HasAny(const PeerId& peer) const
{
  const auto leases = this->Leases.find(peer);
  return leases != this->Leases.end() &&
    std::any_of(leases->second.begin(), leases->second.end(),
      [](const auto& lease) { return !lease.second.Spare; });
}

void LeaseBook::End(const PeerId& peer, std::uint64_t number)
{
  const auto leases = this->Leases.find(peer);
  if (leases == this->Leases.end())
  {
    return;
  }
  if (const auto lease = leases->second.extract(number))
  {
    this->LetGo(peer, lease.mapped(), false);
  }
  if (leases->second.empty())
  {
    this->Leases.erase(leases);
  }
}

void LeaseBook::EndAll(const PeerId& peer, bool lost)
{
  if (const auto leases = this->Leases.extract(peer))
  {
    for (const auto& [number, lease] : leases.mapped())
    {
      this->LetGo(peer, lease, lost);
    }
  }
}

void LeaseBook::LetGo(const PeerId& peer, const Lease& lease, bool lost)
{
  if (lease.Spare)
  {
    this->Snapshots.EndSpare(lease.Snapshot);
  }
  else if (lease.Taken && lost)
  {
    this->Snapshots.TakerLost(lease.Snapshot);
  }
  else if (lease.Taken)
  {
    this->Snapshots.GiveBack(lease.Snapshot);
  }
  else
  {
    this->Snapshots.Release(lease.Snapshot, !lost && !lease.Peek);
  }
  if (!lease.Viewer.empty())
  {
    if (const auto over = this->Joint.Closed(lease.Wanted, lease.Viewer, peer))
    {
      this->Snapshots.Release(*over, false);
    }
  }
}

// The ranks' own leases tell who has read.
bool LeaseBook::EndLate()
{
  const auto late = this->Joint.Expired();
  for (const SnapshotId number : late)
  {
    this->Snapshots.Release(number, false);
  }
  return !late.empty();
}

}
