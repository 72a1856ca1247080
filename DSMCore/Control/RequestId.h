// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace dsm
{

/// A peer as the listener names it: the connection's routing identity.
using PeerId = std::string;

/// A request that is to be answered, perhaps later.
struct RequestId
{
  PeerId Peer;
  std::uint64_t Id = 0; ///< 0: a notification, which is not answered
  std::string Name;     ///< of the request, for people
  std::string Key{};    ///< that the connection was authenticated with (public, Z85)

  bool operator==(const RequestId&) const = default;
};

}
