// SPDX-License-Identifier: BSD-3-Clause
#include "Control/SocketEvents.h"

#include "Base/Error.h"

#include <cerrno>
#include <cstring>

namespace dsm
{

SocketEvents::SocketEvents(zmq::context_t& context, zmq::socket_t& watched, int kinds)
  : Socket(context, zmq::socket_type::pair)
{
  // The address only has to be unique in the context.
  const std::string address =
    fmt::format("inproc://dsm-events-{:x}", reinterpret_cast<std::uintptr_t>(watched.handle()));
  if (zmq_socket_monitor(watched.handle(), address.c_str(), kinds) != 0)
  {
    throw Error(Fault::System, "cannot watch a ZeroMQ socket: {}", zmq_strerror(zmq_errno()));
  }
  this->Socket.set(zmq::sockopt::linger, 0);
  this->Socket.connect(address);
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
