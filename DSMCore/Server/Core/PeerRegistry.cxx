// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/PeerRegistry.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/Timeouts.h"
#include "Protocol/Peer.h"

#include <algorithm>
#include <utility>

namespace dsm
{

PeerRole PeerRoleOf(const PeerDescription& peer)
{
  return peer.Role == "writer" ? PeerRole::Writer
    : peer.Role == "steering"  ? PeerRole::Steering
    : peer.Role == "viewer"    ? PeerRole::Viewer
    : peer.Role == "archive"   ? PeerRole::Archive
                               : PeerRole::Other;
}

std::string IdentityOf(const PeerDescription& peer)
{
  return peer.Job.empty() ? fmt::format("{} {}", peer.Machine, peer.Process) : peer.Job;
}

Peer* PeerRegistry::Find(const PeerId& id)
{
  const auto found = this->Peers.find(id);
  return found == this->Peers.end() ? nullptr : &found->second;
}

Peer& PeerRegistry::Known(const PeerId& id)
{
  Peer* const found = this->Find(id);
  if (!found)
  {
    throw Error(Fault::PeerLost,
      "the DSM server does not know this program any more: it was silent for more than {:.3g} s "
      "(DSM_PEER_TIMEOUT), so the server gave it up",
      PeerTimeout().count());
  }
  return *found;
}

Peer& PeerRegistry::Speaking(const PeerId& id)
{
  Peer* const found = this->Find(id);
  if (!found)
  {
    throw Error(Fault::Unsupported, "nobody speaks for this rank at the DSM server");
  }
  return *found;
}

void PeerRegistry::Enter(const PeerId& id, Peer peer)
{
  if (peer.Role() == PeerRole::Writer)
  {
    Log().info("{} connected", PeerText(peer.Process));
    ++this->Writers;
  }
  peer.WritersBefore = this->Writers;
  if (peer.IsSimulation())
  {
    this->LostLast = false;
  }
  this->Peers[id] = std::move(peer);
}

std::optional<Peer> PeerRegistry::Remove(const PeerId& id)
{
  const auto found = this->Peers.find(id);
  if (found == this->Peers.end())
  {
    return std::nullopt;
  }
  std::optional<Peer> peer(std::move(found->second));
  this->Peers.erase(found);
  return peer;
}

void PeerRegistry::BecomeWriter(Peer& peer)
{
  peer.Process.Role = "writer";
  ++this->Writers;
  ++peer.WritersBefore;
  this->LostLast = false;
}

bool PeerRegistry::HasEnded(const Peer& peer) const
{
  return peer.Process.Machine == this->State.Around.Machine &&
    this->State.Around.ProcessHasEnded(peer.Process.Process);
}

bool PeerRegistry::HasEnded(const PeerId& id) const
{
  const auto found = this->Peers.find(id);
  return found == this->Peers.end() || this->HasEnded(found->second);
}

bool PeerRegistry::HasSimulations() const
{
  return std::any_of(this->Peers.begin(), this->Peers.end(),
    [](const auto& entry) { return entry.second.IsSimulation(); });
}

bool PeerRegistry::IsWriting(const std::string& identity) const
{
  return std::any_of(this->Peers.begin(), this->Peers.end(),
    [&](const auto& entry)
    {
      const Peer& peer = entry.second;
      return peer.IsSimulation() && IdentityOf(peer.Process) == identity && !this->HasEnded(peer);
    });
}

std::vector<ConnectedPeer> PeerRegistry::Connected() const
{
  std::vector<ConnectedPeer> connected;
  for (const auto& [id, peer] : this->Peers)
  {
    if (!peer.Host)
    {
      connected.push_back({ peer.Guest, peer.Process, peer.Since });
    }
  }
  std::sort(connected.begin(), connected.end(),
    [](const auto& one, const auto& other) { return one.Since < other.Since; });
  return connected;
}

bool PeerRegistry::NoteLostSimulation()
{
  return !std::exchange(this->LostLast, true);
}

}
