// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Control/ContactFile.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dsm
{

/// A peer's end of the control channel: requests and their replies, heartbeats, and events the
/// server sends by itself. A thread of its own owns the socket and makes no MPI call.
///
/// Wire format: one ZeroMQ frame per message, CBOR. A request is {"id": n, "ask": "name", …}, its
/// reply {"id": n, "ok": true, …} or {"id": n, "ok": false, "fault": FaultName, "text": "…"}; an
/// event is {"event": "name", …}. Heartbeats are {"ask": "ping"} without an id; the server answers
/// {"event": "pong"}. The server counts a peer as lost after `PeerTimeout` without a message, and
/// so does the channel the server. {"ask": "bye"} and {"event": "stopping"} say that a side ends;
/// {"event": "forgotten"} is what a peer hears that speaks again after it was counted as lost.
///
/// A connection that breaks is made again without a loss of identity; a channel that has failed
/// once stays so, as another server has other keys. In a forked child it is dead.
///
/// Thread safe: requests may come from several threads at once.
class Channel
{
public:
  using EventHandler = std::function<void(const nlohmann::json&)>;

  /// Gives messages to send, each with its "ask".
  using Composer = std::function<std::vector<nlohmann::json>()>;

  /// Connects; says nothing yet. `contactPath` serves messages only. The handler runs in the
  /// channel's thread and must not call Request on the same channel.
  Channel(const Contact& contact, const std::string& contactPath, EventHandler handler = {});

  /// Says "bye" if the server still answers, and ends the thread. Takes at most half a second.
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Sends {"ask": what} with the members of `arguments` and waits for the reply. Throws what the
  /// server answered as Error with the server's fault and text; Error(NoServer) when nobody answers
  /// there (message: endpoint, contact file, since when the server was started and whether its
  /// process is gone); Error(Refused) when the keys do not fit; Error(PeerLost) when the server was
  /// there and has gone; Error(TimedOut) at the deadline. Messages say what was waited for.
  nlohmann::json Request(
    const std::string& what, nlohmann::json arguments, const Deadline& deadline);

  /// Sends without waiting for a reply; never throws. For a peer's notifications to the server.
  void Notify(const std::string& what, nlohmann::json arguments) noexcept;

  /// As Notify, for a thread that has no time: the channel's thread calls the composer. What was
  /// notified before is sent before.
  void NotifyLater(Composer compose) noexcept;

  /// False once the server has been silent for too long or has said it stops.
  bool Alive() const;

  const std::string& ContactPath() const;

private:
  class Implementation;
  std::unique_ptr<Implementation> Self;
};

/// Seconds of silence after which a peer counts as lost: DSM_PEER_TIMEOUT, default 10. Heartbeats
/// are sent five times as often.
Seconds PeerTimeout();

}
