// SPDX-License-Identifier: BSD-3-Clause
#include "Protocol/Version.h"

namespace dsm
{

std::int64_t ProtocolVersion()
{
  return 25;
}

}
