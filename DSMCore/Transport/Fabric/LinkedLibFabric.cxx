// SPDX-License-Identifier: BSD-3-Clause
// In builds that are linked with libfabric.
#include "Transport/Fabric/LibFabric.h"

namespace dsm::fabric
{

const std::string& WhyMissing()
{
  static const std::string none;
  return none;
}

}
