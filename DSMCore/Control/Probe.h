// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

class Wakeup;

/// What trying to reach some addresses gave.
struct ProbeResult
{
  std::optional<std::string> Answering; ///< the first endpoint that accepted a connection
  bool Interrupted = false;             ///< `stopped` became true first
  bool Refused = false;                 ///< an address exists, and nobody listens there
  std::vector<std::string> Failures;    ///< "tcp://10.0.0.1:5555: Connection refused (111)"
};

/// Asks the kernel which of the endpoints ("tcp://address:port") accepts connections, all at once,
/// and closes them again. ZeroMQ itself tries for ever and does not tell "connection refused" from
/// a slow network; users need to know, and at once.
///
/// Returns at the first that answers, when all have failed, at the limit, or when `wake` is
/// signalled and `stopped` says so.
ProbeResult Probe(const std::vector<std::string>& endpoints, Seconds limit, Wakeup& wake,
  const std::function<bool()>& stopped);

/// True when the endpoint's address reaches this machine only.
bool IsLoopback(const std::string& endpoint);

}
