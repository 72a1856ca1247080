// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Control/ContactFile.h"
#include "Control/SocketEvents.h"
#include "Control/Wakeup.h"

#include <zmq.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// A connected socket whose server has proved its identity (CURVE).
struct ServerSocket
{
  zmq::socket_t Socket;
  SocketEvents Events;
  std::string Endpoint;
};

/// Finds the address of a contact at which its server answers, and connects there: one connection,
/// since ZeroMQ would spread the requests over several.
///
/// A server is known by several addresses, of which any may be unreachable, or another machine's
/// (the private network of another machine's containers). So the likely ones are probed together;
/// the first that accepts must authenticate with the server's key, else the next is tried.
class Connector
{
public:
  /// `timeout` bounds each step; `stopped` is looked at whenever `wake` is signalled.
  Connector(const Contact& contact, const std::string& contactPath, Seconds timeout, Wakeup& wake,
    std::function<bool()> stopped);

  /// None when stopped. Throws Error(NoServer) when nobody answers, Error(Refused) when somebody
  /// does and the keys do not fit. The socket introduces itself as `identity`.
  std::optional<ServerSocket> Connect(zmq::context_t& context, const std::string& identity);

private:
  enum class Outcome
  {
    Connected,
    Closed,       ///< the other side closed the connection during the handshake
    Refused,      ///< it did not admit our key
    Withdrawn,    ///< it admitted our key once, and does no more
    Foreign,      ///< it speaks another protocol
    NotListening, ///< it accepts connections no longer
    Silent,
    Stopped
  };

  std::vector<std::vector<std::string>> Rounds() const;
  ServerSocket OpenSocket(
    zmq::context_t& context, const std::string& identity, const std::string& endpoint);
  Outcome Handshake(ServerSocket& server);

  const Contact& Address;
  const std::string& Path;
  Seconds Timeout;
  Wakeup& Wake;
  std::function<bool()> Stopped;
};

/// "the server of /home/me/run.dsm (process 42 on node7, started 2026-11-21T01:30:00Z)"
std::string DescribeServer(const Contact& contact, const std::string& contactPath);

/// What a guest hears whose invitation is no longer good.
std::string WithdrawnText(const Contact& contact, const std::string& contactPath);

/// What to do about a server that does not answer: whether its process is gone, if we can know.
std::string Advice(const Contact& contact);

}
