// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Transport/TransportKind.h"

namespace dsm
{

/// "fabric": for TransportKinds().
const TransportKind& FabricTransport();

}
