// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Transport/TransportKind.h"

namespace dsm
{

/// "mpi-rma" and "mpi-messages": for TransportKinds().
const TransportKind& MpiTransport();

}
