// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Control/Listener.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace dsm
{

/// Which peers a listener has, and which of them are lost. Only arithmetic on times: it is told
/// what happened and when.
///
/// A peer is lost after `silence` without a message. A closed connection is most often a dead peer,
/// but may also be a network that breaks and heals: a living peer then comes back and pings at
/// once, and so it is lost after 1.5 of its heartbeats (which come five times per `silence`); or
/// almost at once, where one can tell that its process has ended.
/// Connections are named by file descriptors, which are reused: the worst a mix-up does is to start
/// this shorter wait for a living peer, whose next ping ends it.
class PeerTable
{
public:
  explicit PeerTable(Seconds silence)
    : Silence(silence)
  {
  }

  struct Lost
  {
    PeerId Id;
    bool Announced; ///< the server's handler knows it
  };

  enum class Standing
  {
    Good,
    Lost,   ///< was counted as lost: it is told so, and not heard
    Foreign ///< somebody else, who holds another key than the peer of that name
  };

  /// A message came by a connection that was authenticated with a key.
  Standing Received(
    const PeerId& peer, int connection, const std::string& key, Clock::time_point now);

  /// The handler gets to know the peer.
  void Announce(const PeerId& peer);

  /// A connection was closed.
  void Closed(int connection, Clock::time_point now);

  /// Takes out the peers that are lost by now. `hasEnded` is asked about those whose connection is
  /// closed; it says false where it cannot tell.
  using HasEnded = std::function<bool(const PeerId&)>;
  std::vector<Lost> TakeLost(Clock::time_point now, const HasEnded& hasEnded = {});

  /// Takes out the peers that hold a key.
  std::vector<Lost> TakeOf(const std::string& key);

  /// Removes a peer that has disconnected; true when it was announced.
  bool Remove(const PeerId& peer);

  /// This process itself was stopped or starved, so the peers' messages are still unread: nobody
  /// is lost before half the silence has passed again.
  void ExtendDeadlines(Clock::time_point now);

  std::vector<PeerId> All() const;

private:
  struct Peer
  {
    Clock::time_point LastHeard;
    std::optional<Clock::time_point> Disconnected;
    int Connection = -1; ///< by which its last message came
    std::string Key;
    bool Announced = false;
  };

  Seconds Silence;
  std::map<PeerId, Peer> Peers;
  std::deque<PeerId> LostPeers; ///< the last ones that were lost
};

}
