// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/ContactFile.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace dsm
{

/// A peer as the listener names it: the connection's routing identity.
using PeerId = std::string;

/// The server's end of the control channel. One thread owns the socket, accepts only peers that
/// hold the contact file's key (CURVE), decodes messages and calls the handler; it makes no MPI
/// call. Answers may come later and from other threads: Reply and Send are thread safe.
class Listener
{
public:
  /// All three are called in the listener's thread, one at a time, and must not block. They may be
  /// called before the constructor returns: what they use of the listener needs a lock.
  struct Handler
  {
    /// A request or notification ("ask" and its arguments; "id" present when a reply is due).
    /// An exception becomes the reply.
    std::function<void(const PeerId&, const nlohmann::json& message)> Received;
    /// A peer that Received knows said "bye" (lost = false), was silent for PeerTimeout(), or its
    /// connection was closed and it does not come back (lost = true). It is not heard again.
    std::function<void(const PeerId&, bool lost)> Gone;
    /// Several times a second, for limits of pending answers.
    std::function<void()> Tick;
  };

  /// Binds to a free TCP port and starts to listen. Fills in what it owns of the contact:
  /// endpoints (loopback first, then the machine's other addresses) and keys.
  /// Throws Error(System) when it cannot.
  Listener(Contact& contact, Handler handler);

  /// Tells every peer {"event": "stopping"}, then ends.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Answers a request: `reply` gets its "id" and "ok": true.
  void Reply(const PeerId& peer, const nlohmann::json& request, nlohmann::json reply);

  /// Answers with an error.
  void Refuse(const PeerId& peer, const nlohmann::json& request, const std::exception& error);

  /// Sends an event.
  void Send(const PeerId& peer, nlohmann::json event);

private:
  class Implementation;
  std::unique_ptr<Implementation> Self;
};

}
