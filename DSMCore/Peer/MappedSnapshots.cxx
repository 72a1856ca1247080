// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/MappedSnapshots.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Memory/MappedEntry.h"
#include "Memory/SegmentLayout.h"
#include "Peer/Connection.h"
#include "Peer/SnapshotView.h"
#include "Transport/Transport.h"

#include <algorithm>
#include <thread>

#include <unistd.h>

namespace dsm
{

/// Keeps a snapshot at the server.
class MappedSnapshots::Hold
{
public:
  /// Takes a place that the server has offered. `route` keeps host 0's memory mapped.
  Hold(std::string server, const MappedPlace& kept, std::shared_ptr<Transport> route,
    SharedNumber place)
    : Server(std::move(server))
    , Kept(kept)
    , Route(std::move(route))
    , Entry(place)
    , IsTaken(this->Entry.Take(kept.Number))
  {
  }

  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  // A forked child lets go of nothing.
  ~Hold()
  {
    if (this->IsTaken && getpid() == this->Maker)
    {
      this->Entry.LetGo(this->Kept.Number);
    }
  }

  /// Returns false if the server had withdrawn its offer.
  bool Holds() const { return this->IsTaken; }

  bool IsOf(const std::string& server, const std::vector<MappedPlace>& kept) const
  {
    return server == this->Server &&
      std::ranges::any_of(kept, [this](const MappedPlace& one)
        { return one.Place == this->Kept.Place && one.Number == this->Kept.Number; });
  }

private:
  const std::string Server;
  const MappedPlace Kept;
  const std::shared_ptr<Transport> Route;
  const MappedEntry Entry;
  const bool IsTaken;
  const pid_t Maker = getpid();
};

MappedSnapshots& MappedSnapshots::OfProcess()
{
  static auto* const all = new MappedSnapshots;
  return *all;
}

MappedSnapshots::Outcome MappedSnapshots::Map(
  const SnapshotView& snapshot, FileOffset address, std::uint64_t size, std::uint64_t alignment)
{
  if (!environment::SwitchOr("DSM_MAP_ARRAYS", true))
  {
    return { nullptr, "DSM_MAP_ARRAYS is off" };
  }
  if (address % alignment != 0)
  {
    return { nullptr, "its bytes are not aligned in the file" };
  }
  if (auto why = StitchedView::ReasonToCopy(snapshot, address, size))
  {
    return { nullptr, std::move(*why) };
  }
  Outcome outcome;
  Holding hold = this->HoldOf(snapshot, outcome.Why);
  if (!hold)
  {
    return outcome;
  }
  try
  {
    StitchedView view(snapshot, address, size);
    outcome.Data = view.Data();
    const std::lock_guard lock(this->Guard);
    this->Ranges.emplace(outcome.Data, Range{ std::move(hold), std::move(view) });
  }
  catch (const Error& error)
  {
    if (error.GetFault() == Fault::PeerLost)
    {
      throw;
    }
    outcome.Why = error.what();
  }
  return outcome;
}

// Returns what keeps the snapshot, or null and why there is nothing.
MappedSnapshots::Holding MappedSnapshots::HoldOf(const SnapshotView& snapshot, std::string& why)
{
  const auto& connection = snapshot.GetConnection();
  const Contact& contact = connection->GetContact();
  const SnapshotId number = snapshot.Description().Number;
  const Key key(contact.ServerPublicKey, number);
  {
    const std::lock_guard lock(this->Guard);
    if (auto known = this->Holds[key].lock())
    {
      return known;
    }
  }
  if (contact.Guest)
  {
    why = "guests copy";
    return nullptr;
  }
  const auto server = connection->Server();
  const SegmentLayout layout(server->SlotSize, server->SlotCount);
  const auto route = connection->Data();
  if (!route->Direct(0, layout.Mapped.OffsetOf(0)))
  {
    why = "the DSM server's first host is on another node";
    return nullptr;
  }
  try
  {
    const auto reply =
      connection->Request(MapSnapshot{ number, static_cast<std::uint64_t>(getpid()) });
    if (!reply.Kept)
    {
      why = reply.Why;
      return nullptr;
    }
    std::byte* const place = route->Shared(0, layout.Mapped.OffsetOf(reply.Kept->Place));
    auto made = std::make_shared<const Hold>(
      contact.ServerPublicKey, *reply.Kept, route, SharedNumber(place));
    if (!made->Holds())
    {
      why = "the DSM server's answer came too late";
      return nullptr;
    }
    const std::lock_guard lock(this->Guard);
    this->Holds[key] = made;
    return made;
  }
  catch (const Error& error)
  {
    why = error.what();
    return nullptr;
  }
}

bool MappedSnapshots::Release(const std::byte* data) noexcept
{
  decltype(this->Ranges)::node_type released; // unmapped without the lock
  const std::lock_guard lock(this->Guard);
  released = this->Ranges.extract(data);
  std::erase_if(this->Holds, [](const auto& hold) { return hold.second.expired(); });
  return !released.empty();
}

void MappedSnapshots::Detach(const std::byte* data)
{
  const std::lock_guard lock(this->Guard);
  const auto found = this->Ranges.find(data);
  if (found != this->Ranges.end() && found->second.Keeps)
  {
    found->second.View.CopyOut();
    found->second.Keeps.reset();
  }
}

void MappedSnapshots::GiveBack(const std::string& server, std::vector<MappedPlace> kept)
{
  std::thread([this, server, kept = std::move(kept)] { this->CopyOut(server, kept); }).detach();
}

void MappedSnapshots::CopyOut(
  const std::string& server, const std::vector<MappedPlace>& kept) noexcept
{
  const std::lock_guard lock(this->Guard);
  try
  {
    std::erase_if(this->Holds,
      [&](const auto& hold)
      {
        const auto known = hold.second.lock();
        return !known || known->IsOf(server, kept);
      });
    for (auto& [data, range] : this->Ranges)
    {
      if (range.Keeps && range.Keeps->IsOf(server, kept))
      {
        range.View.CopyOut();
        range.Keeps.reset();
      }
    }
  }
  catch (const std::exception& error)
  {
    Log().warn("cannot give back the memory of a snapshot that a writer waits for: {}. Close data "
               "that is not needed in the viewer",
      error.what());
  }
}

std::uint64_t MappedSnapshots::MappedBytes() const
{
  const std::lock_guard lock(this->Guard);
  std::uint64_t bytes = 0;
  for (const auto& [data, range] : this->Ranges)
  {
    bytes += range.Keeps ? range.View.Mapped() : 0;
  }
  return bytes;
}

}
