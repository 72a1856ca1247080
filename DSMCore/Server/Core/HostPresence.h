// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"
#include "Control/RequestId.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dsm
{

/// Which hosts are connected.
struct HostPresence
{
  explicit HostPresence(std::uint64_t hosts)
    : Peers(hosts)
    , Connections(hosts)
  {
  }

  std::vector<PeerId> Peers;              ///< by the hosts' numbers; empty: not connected
  std::vector<std::uint64_t> Connections; ///< of each host: HostSeat::Connection of the last one
  std::map<HostIndex, std::string> Lost;  ///< why, until they are back

  bool AllAreHere() const
  {
    return std::none_of(
      this->Peers.begin(), this->Peers.end(), [](const PeerId& id) { return id.empty(); });
  }

  /// Empty if none is lost.
  std::string WhyLost() const { return this->Lost.empty() ? "" : this->Lost.begin()->second; }

  /// Throws Error(PeerLost) if one is lost. `what` follows from it, for the text.
  void RequireAll(const char* what) const
  {
    if (!this->Lost.empty())
    {
      throw Error(Fault::PeerLost,
        "the DSM server has lost a host{} ({}): if its process was only stopped, let it go on; "
        "else "
        "restart ParaView's side",
        what, this->WhyLost());
    }
  }
};

}
