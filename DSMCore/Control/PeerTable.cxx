// SPDX-License-Identifier: BSD-3-Clause
#include "Control/PeerTable.h"

#include <algorithm>

namespace dsm
{

namespace
{
// How many lost peers to remember.
constexpr std::size_t MaximumLostPeers = 1024;

// What a process has sent before it ended may still be on its way through ZeroMQ.
constexpr Seconds OnItsWay(0.3);
}

PeerTable::Standing PeerTable::Received(
  const PeerId& id, int connection, const std::string& key, Clock::time_point now)
{
  auto found = this->Peers.find(id);
  if (found == this->Peers.end())
  {
    if (std::find(this->LostPeers.begin(), this->LostPeers.end(), id) != this->LostPeers.end())
    {
      return Standing::Lost;
    }
    found = this->Peers.try_emplace(id).first;
    found->second.Key = key;
  }
  Peer& peer = found->second;
  if (peer.Key != key)
  {
    return Standing::Foreign;
  }
  peer.LastHeard = now;
  peer.Disconnected.reset();
  peer.Connection = connection;
  return Standing::Good;
}

void PeerTable::Announce(const PeerId& id)
{
  const auto found = this->Peers.find(id);
  if (found != this->Peers.end())
  {
    found->second.Announced = true;
  }
}

void PeerTable::Closed(int connection, Clock::time_point now)
{
  for (auto& [id, peer] : this->Peers)
  {
    if (peer.Connection == connection && !peer.Disconnected)
    {
      peer.Disconnected = now;
    }
  }
}

std::vector<PeerTable::Lost> PeerTable::TakeLost(Clock::time_point now, const HasEnded& hasEnded)
{
  std::vector<Lost> lost;
  for (auto it = this->Peers.begin(); it != this->Peers.end();)
  {
    const Peer& peer = it->second;
    const Seconds away = peer.Disconnected ? Seconds(now - *peer.Disconnected) : Seconds(0);
    const bool left =
      away > 0.3 * this->Silence || (away > OnItsWay && hasEnded && hasEnded(it->first));
    if (left || now - peer.LastHeard > this->Silence)
    {
      lost.push_back({ it->first, peer.Announced });
      this->LostPeers.push_back(it->first);
      it = this->Peers.erase(it);
    }
    else
    {
      ++it;
    }
  }
  while (this->LostPeers.size() > MaximumLostPeers)
  {
    this->LostPeers.pop_front();
  }
  return lost;
}

std::vector<PeerTable::Lost> PeerTable::TakeOf(const std::string& key)
{
  std::vector<Lost> taken;
  for (auto it = this->Peers.begin(); it != this->Peers.end();)
  {
    if (it->second.Key == key)
    {
      taken.push_back({ it->first, it->second.Announced });
      it = this->Peers.erase(it);
    }
    else
    {
      ++it;
    }
  }
  return taken;
}

bool PeerTable::Remove(const PeerId& id)
{
  const auto found = this->Peers.find(id);
  if (found == this->Peers.end())
  {
    return false;
  }
  const bool announced = found->second.Announced;
  this->Peers.erase(found);
  return announced;
}

void PeerTable::ExtendDeadlines(Clock::time_point now)
{
  const auto half = std::chrono::duration_cast<Clock::duration>(this->Silence / 2);
  for (auto& [id, peer] : this->Peers)
  {
    peer.LastHeard = std::max(peer.LastHeard, now - half);
    if (peer.Disconnected)
    {
      peer.Disconnected = now;
    }
  }
}

std::vector<PeerId> PeerTable::All() const
{
  std::vector<PeerId> all;
  all.reserve(this->Peers.size());
  for (const auto& [id, peer] : this->Peers)
  {
    all.push_back(id);
  }
  return all;
}

}
