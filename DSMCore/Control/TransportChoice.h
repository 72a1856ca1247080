// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace dsm
{

/// Which transports carry an image's bytes: heavy data over one, small transfers (an HDF5 file's
/// metadata) over another when that has the lower latency (Soumagne, Biddiscombe, Esnard 2011,
/// section 6). The server's choice travels to its peers; a peer's environment overrides it there.
///
/// As text: HEAVY or HEAVY,LIGHT:THRESHOLD, for example "fabric", "fabric/tcp" (libfabric with that
/// provider), "mpi-rma,fabric:8KiB".
struct TransportChoice
{
  std::string Heavy = "auto";  ///< "auto", "shared-memory", "fabric", "fabric/PROVIDER", …
  std::string Light;           ///< of the same; empty: heavy's
  std::uint64_t Threshold = 0; ///< bytes; transfers below it are light
  /// Hosts on this node are reached through shared memory, whatever is chosen for the others.
  bool NodeMemory = true;

  /// Throws Error(Usage) that says what is allowed.
  static TransportChoice FromText(const std::string& text);
  std::string ToText() const; ///< without NodeMemory

  /// This choice as the environment changes it: DSM_TRANSPORT (text as above) and DSM_NODE_MEMORY
  /// (on or off). Throws Error(Usage).
  TransportChoice WithEnvironment() const;

  bool operator==(const TransportChoice&) const = default;
};

void to_json(nlohmann::json&, const TransportChoice&);
void from_json(const nlohmann::json&, TransportChoice&);

}
