// SPDX-License-Identifier: BSD-3-Clause
#include "Control/SocketEvents.h"

#include "Base/Error.h"

#include <atomic>
#include <cstring>
#include <utility>

namespace dsm
{

SocketEvents::SocketEvents(zmq::context_t& context, zmq::socket_t& watched, int kinds)
  : Watched(watched.handle())
  , Socket(context, zmq::socket_type::pair)
{
  // Never used twice: what is left of a closed socket is taken down later, by another thread.
  static std::atomic<std::uint64_t> count = 0;
  const std::string address = fmt::format("inproc://dsm-events-{}", ++count);
  if (zmq_socket_monitor(watched.handle(), address.c_str(), kinds) != 0)
  {
    throw Error(Fault::System, "cannot watch a ZeroMQ socket: {}", zmq_strerror(zmq_errno()));
  }
  this->Socket.set(zmq::sockopt::linger, 0);
  // ZeroMQ's own thread sends the events and would stand still if nobody took them.
  this->Socket.set(zmq::sockopt::rcvhwm, 0);
  this->Socket.connect(address);
}

SocketEvents::SocketEvents(SocketEvents&& other) noexcept
  : Watched(std::exchange(other.Watched, nullptr))
  , Socket(std::move(other.Socket))
{
}

SocketEvents::~SocketEvents()
{
  // Before our end of the pair goes: an event sent without a receiver stops ZeroMQ's thread for
  // ever, and with it every other connection of the context and the context's own end.
  if (this->Watched)
  {
    zmq_socket_monitor(this->Watched, nullptr, 0);
  }
}

std::optional<SocketEvent> SocketEvents::Next()
{
  // Frame 1: 16 bits of event, 32 bits of value, in the machine's order. Frame 2: the address.
  zmq::message_t what;
  zmq::message_t where;
  while (this->Socket.recv(what, zmq::recv_flags::dontwait))
  {
    if (what.more())
    {
      [[maybe_unused]] const auto got = this->Socket.recv(where, zmq::recv_flags::dontwait);
    }
    std::uint16_t kind = 0;
    SocketEvent event;
    if (what.size() < sizeof kind + sizeof event.Value)
    {
      continue;
    }
    std::memcpy(&kind, what.data(), sizeof kind);
    std::memcpy(&event.Value, what.data<char>() + sizeof kind, sizeof event.Value);
    event.Kind = kind;
    return event;
  }
  return std::nullopt;
}

}
