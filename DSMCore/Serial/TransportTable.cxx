// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/TransportKind.h"

namespace dsm
{

const TransportKind& SharedMemoryTransport();
const TransportKind& FabricTransport();

// Those that need no MPI, in the order in which "auto" tries them.
const std::vector<const TransportKind*>& TransportKinds()
{
  static const std::vector<const TransportKind*> all{ &SharedMemoryTransport(),
    &FabricTransport() };
  return all;
}

}
