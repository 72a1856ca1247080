// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace dsm
{

class Fields;

/// Which transports carry an image's bytes: heavy data over one, small transfers (an HDF5 file's
/// metadata) over another when that has the lower latency (Soumagne, Biddiscombe, Esnard 2011,
/// section 6). The server's choice travels to its peers; a peer's environment overrides it there.
///
/// As text: HEAVY or HEAVY,LIGHT:THRESHOLD, for example "fabric", "fabric/tcp" (libfabric with that
/// provider), "mpi-rma,fabric:8KiB"; Transport/ChooseTransport reads it.
struct TransportChoice
{
  std::string Heavy = "automatic"; ///< "automatic", or what a transport is chosen by
  std::string Light;               ///< of the same; empty: heavy's
  std::uint64_t Threshold = 0;     ///< bytes; transfers below it are light
  /// Hosts on this node are reached through shared memory, whatever is chosen for the others.
  bool NodeMemory = true;

  std::string ToText() const; ///< without NodeMemory

  bool operator==(const TransportChoice&) const = default;
};

void Describe(Fields&, TransportChoice&);

}
