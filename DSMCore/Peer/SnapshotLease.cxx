// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/SnapshotLease.h"

#include "Base/RandomNumber.h"
#include "Peer/Connection.h"
#include "Peer/Peek.h"

#include <utility>

namespace dsm
{

namespace
{
// Of a lease that a rank asks for, in the name of another process.
std::uint64_t NewNumber()
{
  return HoldSnapshots::FirstLease | RandomNumber();
}
}

SnapshotLease::List SnapshotLease::Newest(
  std::shared_ptr<Connection> connection, const std::string& pattern, SnapshotId number)
{
  ListSnapshots request{ number, pattern, true };
  request.HiddenToo = number != 0; // who knows its number was given it
  auto found = connection->Request(request);
  List list;
  list.Snapshots = std::move(found.Snapshots);
  if (found.Lease)
  {
    list.Newest.InUse = connection->Use();
    list.Newest.Link = std::move(connection);
    list.Newest.Lease = *found.Lease;
    list.Newest.Snapshot = list.Snapshots.back();
  }
  return list;
}

SnapshotLease SnapshotLease::Together(std::shared_ptr<Connection> connection, SnapshotId number,
  const std::optional<std::string>& instead, const JointViewer& viewer)
{
  OpenSnapshot request;
  request.Number = number;
  request.Instead = instead;
  request.Together = viewer;
  return Open(std::move(connection), request);
}

SnapshotLease SnapshotLease::Spare(std::shared_ptr<Connection> connection, SnapshotId number)
{
  OpenSnapshot request;
  request.Number = number;
  request.Peek = true;
  request.Spare = true;
  SnapshotLease lease = Open(std::move(connection), request);
  lease.WeakLink = std::exchange(lease.Link, nullptr);
  lease.InUse.reset();
  return lease;
}

SnapshotLease SnapshotLease::Open(
  std::shared_ptr<Connection> connection, const OpenSnapshot& request)
{
  SnapshotLease hold;
  hold.Speaker = connection->SpokenForBy();
  auto told = connection->AskInMemory(OpenForRank{ hold.Speaker, NewNumber(), request });
  if (!told)
  {
    hold.Speaker.clear();
  }
  auto leased = told ? std::move(*told) : connection->Request(request);
  hold.InUse = connection->Use();
  hold.Link = std::move(connection);
  hold.Lease = leased.Lease;
  hold.Snapshot = std::move(leased.Snapshot);
  return hold;
}

SnapshotLease SnapshotLease::Known(
  std::shared_ptr<Connection> connection, const SnapshotDescription& known, SlotEntry entry)
{
  SnapshotLease hold;
  hold.InUse = connection->Use();
  hold.Link = std::move(connection);
  hold.Snapshot = known;
  hold.Lease = hold.Link->BeginHold(known.Number, Peek::Active(), std::move(entry));
  return hold;
}

SnapshotLease SnapshotLease::Without(const SnapshotDescription& held)
{
  SnapshotLease none;
  none.Snapshot = held;
  return none;
}

SnapshotLease& SnapshotLease::operator=(SnapshotLease&& other) noexcept
{
  if (this != &other)
  {
    this->Release();
    this->Link = std::move(other.Link);
    this->WeakLink = std::move(other.WeakLink);
    this->InUse = std::move(other.InUse);
    this->Snapshot = std::move(other.Snapshot);
    this->Lease = other.Lease;
    this->Speaker = std::move(other.Speaker);
  }
  return *this;
}

void SnapshotLease::Release() noexcept
{
  auto link = std::exchange(this->Link, nullptr);
  if (!link)
  {
    link = std::exchange(this->WeakLink, {}).lock();
  }
  if (link)
  {
    if (!this->Speaker.empty())
    {
      link->TellInMemory(CloseForRank{ this->Speaker, this->Lease });
    }
    else if (this->Lease == 0 || this->Lease >= HoldSnapshots::FirstLease)
    {
      link->EndHold(this->Lease);
    }
    else
    {
      link->Notify(CloseSnapshot{ this->Lease });
    }
  }
  this->InUse.reset();
}

}
