// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/Descriptions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dsm
{

/// Where libfabric finds a host's memory: an endpoint of one of its providers.
struct FabricAddress
{
  std::string Provider;           ///< "tcp", "verbs;ofi_rxm"
  std::vector<std::string> Names; ///< the endpoint's addresses, their bytes in hexadecimal
  std::uint64_t Key = 0;          ///< opens the segment for reading and writing
  std::uint64_t Base = 0;         ///< where the segment begins, as the provider counts
  /// Opens it for reading alone. Does not travel: it is the Key of the offer to those who may only
  /// read.
  std::uint64_t ReadKey = 0;

  bool operator==(const FabricAddress&) const = default;
};

void Describe(Fields&, FabricAddress&);

/// What a host offers, "fabric/PROVIDER", and the way back: all of them, by preference.
TransportOffer OfferOf(const FabricAddress& address);
std::vector<FabricAddress> FabricAddressesOf(const HostDescription& host);

}
