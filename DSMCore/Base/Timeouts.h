// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"

/// The limits of waits between the two sides.
namespace dsm
{

/// How long a request to the other side may take: DSM_TIMEOUT seconds, default 30.
Seconds RequestTimeout();

/// Seconds of silence after which a peer counts as lost: DSM_PEER_TIMEOUT, default 10. Heartbeats
/// are sent five times as often.
Seconds PeerTimeout();

}
