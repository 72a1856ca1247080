// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/Descriptions.h"
#include "Transport/Transport.h"

#include <memory>
#include <vector>

namespace dsm
{

/// Finds this process's way to every host of a server: through shared memory to those on its node
/// (unless the choice forbids it), over the chosen transport to the others. "automatic" takes the
/// first of TransportKinds() that reaches a host. Returns one transport that reaches all.
///
/// `joined`: transports that many ranks had to make together (over MPI) and that reach all hosts;
/// empty in a process that took part in none. Throws Error(Unsupported) that names the first host
/// that cannot be reached, why, and what to choose instead.
std::shared_ptr<Transport> MakeRoutes(const ServerDescription& server,
  const TransportChoice& choice, const std::vector<std::shared_ptr<Transport>>& joined);

}
