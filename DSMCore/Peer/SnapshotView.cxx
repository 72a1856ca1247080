// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/SnapshotView.h"

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/Timeouts.h"
#include "Peer/Peek.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace dsm
{

namespace
{
// Where the server is about to know more.
constexpr std::chrono::milliseconds BetweenLooks(1);

// What is opened within a Peek does not count as read.
OpenSnapshot Request(std::optional<SnapshotId> number, const std::string& fileName,
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

SnapshotView::SnapshotView(const std::shared_ptr<Connection>& connection, SnapshotId number)
  : SnapshotView(connection, SnapshotLease::Open(connection, Request(number, {})))
{
}

SnapshotView::SnapshotView(const std::shared_ptr<Connection>& connection,
  const std::string& fileName, std::optional<double> onDiskSince)
  : SnapshotView(connection, SnapshotLease::Open(connection, Request({}, fileName, onDiskSince)))
{
}

SnapshotView::SnapshotView(std::shared_ptr<Connection> connection, const SnapshotDescription& held)
  : SnapshotView(std::move(connection), SnapshotLease::Without(held))
{
}

std::unique_ptr<SnapshotView> SnapshotView::Latest(const std::shared_ptr<Connection>& connection)
{
  OpenSnapshot request = Request({}, {});
  request.Instead = "*";
  return std::unique_ptr<SnapshotView>(
    new SnapshotView(connection, SnapshotLease::Open(connection, request)));
}

std::unique_ptr<SnapshotView> SnapshotView::Version(const std::shared_ptr<Connection>& connection,
  const std::string& fileName, SnapshotId known, SnapshotId master)
{
  OpenSnapshot request = Request(known, fileName);
  request.Master = master;
  return std::unique_ptr<SnapshotView>(
    new SnapshotView(connection, SnapshotLease::Open(connection, request)));
}

std::unique_ptr<SnapshotView> SnapshotView::Unfinished(
  const std::shared_ptr<Connection>& connection, const std::string& fileName,
  const UnfinishedFile& file)
{
  OpenSnapshot request = Request({}, fileName);
  request.Unfinished = file;
  return std::unique_ptr<SnapshotView>(
    new SnapshotView(connection, SnapshotLease::Open(connection, request)));
}

std::unique_ptr<SnapshotView> SnapshotView::Behind(
  const std::shared_ptr<Connection>& connection, SnapshotId number, const std::string& identity)
{
  OpenSnapshot request = Request(number, {});
  request.Identity = identity;
  return std::unique_ptr<SnapshotView>(
    new SnapshotView(connection, SnapshotLease::Open(connection, request)));
}

std::unique_ptr<SnapshotView> SnapshotView::At(const std::shared_ptr<Connection>& connection,
  SnapshotId number, const std::string& fileName, const SlotAddress& place)
{
  const auto server = connection->Server();
  if (!place.IsOf(*server) || !connection->HasChannel())
  {
    return nullptr;
  }
  const auto route = connection->Data();
  const SlotFence fence(route, *server, place.Slot, place.Generation);
  const auto onAllHosts = [&](const auto& holds)
  {
    for (HostIndex host = 0; host < server->Hosts.size(); ++host)
    {
      if (!holds(host))
      {
        return false;
      }
    }
    return true;
  };
  if (!onAllHosts([&](HostIndex host) { return fence.IsMapped(host); }))
  {
    return nullptr;
  }
  auto entry = SlotEntry::Enter(route, *server, place.Slot);
  // Once the slot is entered, what is there stays.
  if (!entry || !onAllHosts([&](HostIndex host) { return fence.Holds(host); }))
  {
    return nullptr;
  }
  SnapshotDescription snapshot;
  snapshot.Number = number;
  snapshot.FileName = fileName;
  snapshot.FileSize = place.FileSize;
  snapshot.Slot = place.Slot;
  snapshot.Generation = place.Generation;
  snapshot.Map = place.Map;
  return std::unique_ptr<SnapshotView>(
    new SnapshotView(connection, SnapshotLease::Known(connection, snapshot, std::move(*entry))));
}

SnapshotView::SnapshotView(std::shared_ptr<Connection> connection, SnapshotLease lease)
  : Link(std::move(connection))
  , Lease(std::move(lease))
{
  this->Describe(this->Description());
}

void SnapshotView::Describe(const SnapshotDescription& snapshot) const
{
  this->Places = SnapshotPlaces(snapshot, this->Link->Server()->SlotSize);
  this->Generation = snapshot.Generation;
  if (this->Route)
  {
    this->Fence = SnapshotFence(this->Route, *this->Link->Server(), snapshot);
  }
}

// Not before the first read: a parallel program joins the hosts after it has found the snapshot.
Transport& SnapshotView::Data() const
{
  if (!this->Route)
  {
    this->Route = this->Link->Data();
    this->Fence = SnapshotFence(this->Route, *this->Link->Server(), this->Description());
    this->ReadFrom.assign(this->Description().Map.Hosts, false);
  }
  return *this->Route;
}

void SnapshotView::ThrowGone() const
{
  const SnapshotDescription& snapshot = this->Description();
  const bool had = this->Places.IsShared() && this->Link->Alive();
  throw Error(Fault::PeerLost,
    "snapshot {} ({}) has left the DSM server's ring while it was being read: {}. Open a snapshot "
    "that is there",
    snapshot.Number, snapshot.FileName,
    had ? std::string("its file was changed further, and there was no memory for what it was, or "
                      "the server did not answer its writer")
        : fmt::format("another file needed its memory, and the server had heard nothing from this "
                      "process for more than {:.3g} s (DSM_PEER_TIMEOUT)",
            PeerTimeout().count()));
}

// Whether all that this Read has got is the snapshot's.
bool SnapshotView::Holds() const
{
  this->Link->RequireInvitation();
  bool holds = true;
  for (HostIndex host = 0; host < this->ReadFrom.size(); ++host)
  {
    holds = holds && (!this->ReadFrom[host] || this->Fence.Holds(host));
    this->ReadFrom[host] = false;
  }
  if (holds && !this->Fence.IsIntact())
  {
    this->ThrowGone();
  }
  return holds;
}

// Its writer goes on, and some of its bytes have got another place; or its file is written further,
// and it shares from now on what was its own. Hosts and server do not say so at the same moment.
SnapshotDescription SnapshotView::FindAgain(const Deadline& deadline) const
{
  const bool isOwn = !this->Places.IsShared();
  if (deadline.Expired() || (isOwn && !this->Link->Alive()))
  {
    this->ThrowGone();
  }
  try
  {
    SnapshotDescription now = this->Link->Ask(LocateSnapshot{ this->Description().Number });
    if (now.Generation == this->Generation)
    {
      std::this_thread::sleep_for(deadline.Remaining(BetweenLooks));
    }
    this->Describe(now);
    return now;
  }
  catch (const Error& error)
  {
    if (isOwn || error.GetFault() == Fault::Refused)
    {
      this->ThrowGone();
    }
    throw;
  }
}

// Once more, until all of it is the snapshot's.
template <typename Work>
void SnapshotView::GetAgain(const Work& work) const
{
  const Deadline deadline(RequestTimeout());
  do
  {
    this->FindAgain(deadline);
    work();
  } while (!this->Holds());
}

// What is shared is never read in place, and Read has looked behind each copy.
void SnapshotView::RequireHeld() const
{
  this->Data();
  if (this->Places.IsShared())
  {
    return;
  }
  this->ReadFrom.assign(this->ReadFrom.size(), true);
  if (!this->Holds())
  {
    this->ThrowGone();
  }
}

void SnapshotView::Get(FileOffset address, void* destination, std::uint64_t size) const
{
  auto* bytes = static_cast<std::byte*>(destination);
  Transport& route = this->Data();
  this->Places.ForEachRun(address, size,
    [&](HostIndex host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
    {
      route.Get(host, offset, bytes + position, length);
      this->ReadFrom[host] = true;
    });
  route.Flush();
}

void SnapshotView::Read(FileOffset address, void* destination, std::uint64_t size) const
{
  const std::uint64_t inside = address < this->Description().FileSize
    ? std::min(size, this->Description().FileSize - address)
    : 0;
  this->Get(address, destination, inside);
  if (!this->Holds())
  {
    this->GetAgain([&] { this->Get(address, destination, inside); });
  }
  auto* bytes = static_cast<std::byte*>(destination);
  std::fill(bytes + inside, bytes + size, std::byte(0));
}

void SnapshotView::GetPieces(std::span<const GetPiece> pieces, bool together) const
{
  Transport& route = this->Data();
  SnapshotPlaces::Run run; // of the piece before
  FileOffset begin = 0;    // its address
  bool gathered = false;
  HostPieces<GetPiece> gets = std::move(this->Gets);
  for (const GetPiece& piece : pieces)
  {
    for (std::uint64_t done = 0; done < piece.Size;)
    {
      const FileOffset address = piece.Address() + done;
      // What lies before it becomes a large number.
      if (address - begin >= run.Size)
      {
        run = this->Places.At(address);
        begin = address;
        gathered = together || this->Fence.IsMapped(run.Host);
        this->ReadFrom[run.Host] = true;
      }
      const std::uint64_t within = address - begin;
      const GetPiece placed{ run.Offset + within, piece.Memory + done,
        std::min(piece.Size - done, run.Size - within) };
      if (gathered)
      {
        gets.Add(route, run.Host, placed);
      }
      else
      {
        route.Get(run.Host, placed.Place, placed.Memory, placed.Size);
      }
      done += placed.Size;
    }
  }
  gets.Move(route);
  this->Gets = std::move(gets);
  route.Flush();
}

void SnapshotView::ReadPieces(std::span<const GetPiece> pieces, bool together) const
{
  const std::uint64_t size = this->Description().FileSize;
  if (std::any_of(pieces.begin(), pieces.end(),
        [size](const GetPiece& piece) { return piece.Place + piece.Size > size; }))
  {
    for (const GetPiece& piece : pieces)
    {
      this->Read(piece.Address(), piece.Memory, piece.Size);
    }
    return;
  }
  this->GetPieces(pieces, together);
  if (!this->Holds())
  {
    this->GetAgain([&] { this->GetPieces(pieces, together); });
  }
}

Way SnapshotView::WayTo(FileOffset address, std::uint64_t size) const
{
  const auto run = this->Places.At(address);
  return { run.Host, run.Size, this->Data().NameFor(run.Host, std::min(size, run.Size)) };
}

bool SnapshotView::IsInReach() const
{
  try
  {
    this->Data();
    return true;
  }
  catch (const Error& error)
  {
    if (error.GetFault() != Fault::Unsupported)
    {
      throw;
    }
    Log().info("this process does not read snapshots itself: {}", error.what());
    return false;
  }
}

bool SnapshotView::IsMapped() const
{
  this->Data();
  for (HostIndex host = 0; host < this->ReadFrom.size(); ++host)
  {
    if (!this->Fence.IsMapped(host))
    {
      return false;
    }
  }
  return true;
}

bool SnapshotView::IsMapped(HostIndex host) const
{
  this->Data();
  return this->Fence.IsMapped(host);
}

bool SnapshotView::MapPrivate(
  HostIndex host, std::uint64_t offset, std::byte* place, std::uint64_t size) const
{
  return this->Data().MapPrivate(host, offset, place, size);
}

// What is shared is copied: it may change behind who looks at it.
const std::byte* SnapshotView::Direct(FileOffset address, std::uint64_t size) const
{
  if (address + size > this->Description().FileSize || this->Places.IsShared())
  {
    return nullptr;
  }
  const auto run = this->Places.At(address);
  return run.Size >= size ? this->Data().Direct(run.Host, run.Offset) : nullptr;
}

}
