// SPDX-License-Identifier: BSD-3-Clause
#include "Session/SnapshotView.h"

#include "Base/Error.h"
#include "Base/Timeouts.h"
#include "Session/Peek.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// What is opened within a Peek does not count as read.
OpenSnapshot Request(std::optional<std::uint64_t> number, const std::string& fileName,
  std::optional<double> onDiskSince = std::nullopt)
{
  OpenSnapshot request;
  request.Number = number;
  request.File = fileName;
  request.OnDiskSince = onDiskSince;
  request.Peek = Peek::Active();
  return request;
}
}

SnapshotView::SnapshotView(const std::shared_ptr<Connection>& connection, std::uint64_t number)
  : SnapshotView(connection, SnapshotLease::Open(connection, Request(number, {})))
{
}

SnapshotView::SnapshotView(const std::shared_ptr<Connection>& connection,
  const std::string& fileName, std::optional<double> onDiskSince)
  : SnapshotView(connection, SnapshotLease::Open(connection, Request({}, fileName, onDiskSince)))
{
}

std::unique_ptr<SnapshotView> SnapshotView::Latest(const std::shared_ptr<Connection>& connection)
{
  OpenSnapshot request = Request({}, {});
  request.Instead = "*";
  return std::unique_ptr<SnapshotView>(
    new SnapshotView(connection, SnapshotLease::Open(connection, request)));
}

SnapshotView::SnapshotView(std::shared_ptr<Connection> connection, SnapshotLease lease)
  : Link(std::move(connection))
  , Lease(std::move(lease))
  , Map(this->Description().Map)
  , SlotOffset(this->Description().Slot * this->Link->Server()->SlotSize)
{
}

// Not before the first read: a parallel program joins the hosts after it has found the snapshot.
Transport& SnapshotView::Data() const
{
  if (!this->Route)
  {
    this->Route = this->Link->Data();
    this->Fence = SlotFence(
      this->Route, *this->Link->Server(), this->Description().Slot, this->Description().Generation);
    this->ReadFrom.assign(this->Map.Parameters().Hosts, false);
  }
  return *this->Route;
}

void SnapshotView::RequireHeldBy(std::uint64_t host) const
{
  this->Link->RequireInvitation();
  if (!this->Fence.Holds(host))
  {
    throw Error(Fault::PeerLost,
      "snapshot {} ({}) has left the DSM server's ring while it was being read: the server had "
      "heard nothing from this process for more than {:.3g} s (DSM_PEER_TIMEOUT), so it gave the "
      "snapshot's memory to another file. Open a snapshot that is there",
      this->Description().Number, this->Description().FileName, PeerTimeout().count());
  }
}

void SnapshotView::RequireHeld() const
{
  for (std::uint64_t host = 0; host < this->Map.Parameters().Hosts; ++host)
  {
    this->Data();
    this->RequireHeldBy(host);
  }
}

void SnapshotView::Read(std::uint64_t address, void* destination, std::uint64_t size) const
{
  auto* bytes = static_cast<std::byte*>(destination);
  const std::uint64_t inside = address < this->Description().FileSize
    ? std::min(size, this->Description().FileSize - address)
    : 0;
  Transport& route = this->Data();
  this->Map.ForEachRun(address, inside,
    [&](std::uint64_t host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
    {
      route.Get(host, this->SlotOffset + offset, bytes + position, length);
      this->ReadFrom[host] = true;
    });
  route.Flush();
  for (std::uint64_t host = 0; host < this->ReadFrom.size(); ++host)
  {
    if (this->ReadFrom[host])
    {
      this->ReadFrom[host] = false;
      this->RequireHeldBy(host);
    }
  }
  std::fill(bytes + inside, bytes + size, std::byte(0));
}

const std::byte* SnapshotView::Direct(std::uint64_t address, std::uint64_t size) const
{
  if (address + size > this->Description().FileSize)
  {
    return nullptr;
  }
  const Location place = this->Map.Locate(address);
  return place.Run >= size ? this->Data().Direct(place.Host, this->SlotOffset + place.Offset)
                           : nullptr;
}

}
