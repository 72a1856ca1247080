// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"
#include "Client/dsm.h"

namespace dsm
{

/// Returns what C programs are told of a fault.
constexpr int StatusOf(Fault fault)
{
  switch (fault)
  {
    case Fault::Usage:
      return DSM_ERROR_USAGE;
    case Fault::NoServer:
      return DSM_ERROR_NO_SERVER;
    case Fault::Refused:
    case Fault::Gone:
    case Fault::RingFull:
      return DSM_ERROR_REFUSED;
    case Fault::TimedOut:
      return DSM_ERROR_TIMED_OUT;
    case Fault::PeerLost:
      return DSM_ERROR_PEER_LOST;
    case Fault::Unsupported:
      return DSM_ERROR_UNSUPPORTED;
    case Fault::System:
      break;
  }
  return DSM_ERROR_SYSTEM;
}

}
