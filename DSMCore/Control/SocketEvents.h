// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <zmq.hpp>

#include <cstdint>
#include <optional>

namespace dsm
{

/// One thing that happened to a ZeroMQ socket's connections: a ZMQ_EVENT_… and its value.
struct SocketEvent
{
  int Kind = 0;
  std::uint32_t Value = 0;
};

/// Listens to what happens below a ZeroMQ socket: connections lost, handshakes failed. Used by the
/// thread that owns the socket, and destroyed before it.
class SocketEvents
{
public:
  /// `kinds` is a sum of ZMQ_EVENT_… values.
  SocketEvents(zmq::context_t& context, zmq::socket_t& watched, int kinds);
  SocketEvents(SocketEvents&& other) noexcept;
  SocketEvents& operator=(SocketEvents&&) = delete;
  ~SocketEvents();

  /// The next event, without waiting.
  std::optional<SocketEvent> Next();

  /// For polling.
  zmq::pollitem_t PollItem() { return { this->Socket.handle(), 0, ZMQ_POLLIN, 0 }; }

private:
  void* Watched; ///< stays valid when its socket_t is moved
  zmq::socket_t Socket;
};

}
