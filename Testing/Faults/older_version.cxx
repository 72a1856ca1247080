// SPDX-License-Identifier: BSD-3-Clause
// In the place of Protocol/Version.cxx: a library of an older release.
#include "Protocol/Version.h"

namespace dsm
{

std::int64_t ProtocolVersion()
{
  return 1;
}

}
