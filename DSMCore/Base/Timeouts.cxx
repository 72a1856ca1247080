// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Timeouts.h"

#include "Base/Environment.h"

namespace dsm
{

Seconds RequestTimeout()
{
  return environment::SecondsOr("DSM_TIMEOUT", 30);
}

Seconds PeerTimeout()
{
  return environment::SecondsOr("DSM_PEER_TIMEOUT", 10);
}

}
