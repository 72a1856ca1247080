// SPDX-License-Identifier: BSD-3-Clause
#include "Control/Connector.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Control/Envelope.h"
#include "Control/Probe.h"
#include "Control/ZapHandler.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

namespace dsm
{

namespace
{
constexpr int ConnectionEvents = ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED |
  ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
  ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
}

std::string DescribeServer(const Contact& contact, const std::string& contactPath)
{
  return fmt::format("the server of {} (process {} on {}, started {})", contactPath,
    contact.Process, contact.HostName, contact.Started);
}

std::string WithdrawnText(const Contact& contact, const std::string& contactPath)
{
  return fmt::format("your invitation was withdrawn by the owner: {} does not admit it any more. "
                     "Ask for another",
    DescribeServer(contact, contactPath));
}

std::string Advice(const Contact& contact)
{
  if (contact.Process == 0 || contact.Node != NodeIdentity())
  {
    return fmt::format("Look whether it still runs on {} and whether this machine may connect to "
                       "that one; else start it again, or remove the file",
      contact.HostName);
  }
  if (kill(static_cast<pid_t>(contact.Process), 0) != 0 && errno == ESRCH)
  {
    return fmt::format(
      "Its process {} is gone: start it again, or remove the file", contact.Process);
  }
  return fmt::format("A process {} exists on this machine, but the server does not answer: look "
                     "whether it is stopped or hangs; else start it again, or remove the file",
    contact.Process);
}

Connector::Connector(const Contact& contact, const std::string& contactPath, Seconds timeout,
  Wakeup& wake, std::function<bool()> stopped)
  : Address(contact)
  , Path(contactPath)
  , Timeout(timeout)
  , Wake(wake)
  , Stopped(std::move(stopped))
{
}

// Which addresses to try together, and then which others. In the server's own network namespace the
// loopback works whatever the network does; elsewhere it would be somebody else's.
std::vector<std::vector<std::string>> Connector::Rounds() const
{
  std::vector<std::string> near;
  std::vector<std::string> far;
  for (const std::string& endpoint : this->Address.Endpoints)
  {
    (IsLoopback(endpoint) ? near : far).push_back(endpoint);
  }
  std::vector<std::vector<std::string>> rounds;
  if (!near.empty() && (far.empty() || this->Address.Network == NetworkIdentity()))
  {
    rounds.push_back(near);
  }
  if (!far.empty())
  {
    rounds.push_back(far);
  }
  return rounds;
}

ServerSocket Connector::OpenSocket(
  zmq::context_t& context, const std::string& identity, const std::string& endpoint)
{
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, 0);
  // The identity outlives a broken connection, so the server knows a peer that comes back.
  socket.set(zmq::sockopt::routing_id, identity);
  try
  {
    socket.set(zmq::sockopt::curve_serverkey, this->Address.ServerPublicKey);
    socket.set(zmq::sockopt::curve_publickey, this->Address.ClientPublicKey);
    const std::string_view secret = this->Address.ClientSecretKey.View();
    // With its end: of a text without one ZeroMQ makes a copy, and leaves that in memory.
    socket.set(zmq::sockopt::curve_secretkey, zmq::const_buffer(secret.data(), secret.size() + 1));
  }
  catch (const zmq::error_t& error)
  {
    throw Error(Fault::Refused,
      "a key in {} is damaged ({}): take a fresh copy of the contact file, or start its server "
      "again",
      this->Path, error.what());
  }
  socket.set(zmq::sockopt::reconnect_ivl, 50);
  socket.set(zmq::sockopt::reconnect_ivl_max, 1000);
  socket.set(zmq::sockopt::handshake_ivl, 0); // we keep the time, and say so in words
  socket.set(zmq::sockopt::sndhwm, 0);        // the silence limit bounds what can pile up
  socket.set(zmq::sockopt::maxmsgsize, LargestMessage);
  SocketEvents events(context, socket, ConnectionEvents);
  socket.connect(endpoint);
  return ServerSocket{ std::move(socket), std::move(events), endpoint };
}

Connector::Outcome Connector::Handshake(ServerSocket& server)
{
  const Deadline deadline(this->Timeout);
  int closed = 0;
  while (!deadline.Expired())
  {
    zmq::pollitem_t items[] = { server.Events.PollItem(),
      { nullptr, this->Wake.Descriptor(), ZMQ_POLLIN, 0 } };
    zmq::poll(items, 2, deadline.Remaining());
    if (items[1].revents != 0)
    {
      this->Wake.Drain();
    }
    if (this->Stopped())
    {
      return Outcome::Stopped;
    }
    while (const auto event = server.Events.Next())
    {
      Log().trace("{}: ZeroMQ event {:#x}, value {}", server.Endpoint, event->Kind, event->Value);
      switch (event->Kind)
      {
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
          return Outcome::Connected;
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
          return event->Value == ZapHandler::WithdrawnStatus ? Outcome::Withdrawn
                                                             : Outcome::Refused;
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
          return Outcome::Foreign;
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
          // What a server with another key does, but also one that ends at this moment; the second
          // attempt tells them apart.
          if (++closed == 2)
          {
            return Outcome::Closed;
          }
          break;
        case ZMQ_EVENT_CLOSED:
          return Outcome::NotListening;
        default:
          break;
      }
    }
  }
  return Outcome::Silent;
}

std::optional<ServerSocket> Connector::Connect(zmq::context_t& context, const std::string& identity)
{
  std::vector<std::string> failures;
  bool refused = false;
  for (std::vector<std::string> endpoints : this->Rounds())
  {
    while (!endpoints.empty())
    {
      const ProbeResult probe = Probe(endpoints, this->Timeout, this->Wake, this->Stopped);
      if (probe.Interrupted)
      {
        return std::nullopt;
      }
      if (!probe.Answering)
      {
        failures.insert(failures.end(), probe.Failures.begin(), probe.Failures.end());
        break;
      }
      ServerSocket server = this->OpenSocket(context, identity, *probe.Answering);
      const Outcome outcome = this->Handshake(server);
      if (outcome == Outcome::Connected)
      {
        return server;
      }
      if (outcome == Outcome::Stopped)
      {
        return std::nullopt;
      }
      if (outcome == Outcome::Withdrawn)
      {
        throw Error(Fault::Refused, WithdrawnText(this->Address, this->Path));
      }
      refused = refused || (outcome != Outcome::Silent && outcome != Outcome::NotListening);
      const char* text = outcome == Outcome::Refused ? "it does not admit our key"
        : outcome == Outcome::Closed       ? "it closed the connection when shown the server's key"
        : outcome == Outcome::Foreign      ? "it speaks another protocol"
        : outcome == Outcome::NotListening ? "it has just stopped accepting connections"
                                           : "it accepts connections and says nothing";
      failures.push_back(fmt::format("{}: {}", *probe.Answering, text));
      std::erase(endpoints, *probe.Answering);
    }
  }
  const std::string where = failures.empty() ? std::string("the contact file names no address")
                                             : fmt::format("{}", fmt::join(failures, "; "));
  if (refused)
  {
    throw Error(Fault::Refused,
      "the key in {} is not that of the server that answers ({}): the file is from another run "
      "than "
      "the server now at this address. Take the contact file that the running server wrote, or "
      "start the server again",
      this->Path, where);
  }
  throw Error(Fault::NoServer, "nobody answers as {}: {}. {}",
    DescribeServer(this->Address, this->Path), where, Advice(this->Address));
}

}
