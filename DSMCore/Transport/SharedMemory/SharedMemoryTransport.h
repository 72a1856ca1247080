// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Transport/TransportKind.h"

#include <string>

namespace dsm
{

/// "shared-memory": for TransportKinds().
const TransportKind& SharedMemoryTransport();

/// The name by which a host on this node offers its segment. Throws Error(Unsupported).
std::string SegmentOf(const HostDescription& host);

}
