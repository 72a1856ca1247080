// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/QueueDepth.h"

#include "Base/Environment.h"
#include "Base/Error.h"

#include <cstdint>

namespace dsm
{

namespace
{
constexpr std::uint64_t Deepest = 256;
}

std::size_t QueueDepth()
{
  const std::uint64_t depth = environment::CountOr("DSM_QUEUE_DEPTH", Deepest);
  if (depth < 1 || depth > Deepest)
  {
    throw Error(Fault::Usage,
      "DSM_QUEUE_DEPTH is {}: give how many transfers may be under way at once, from 1 to {}",
      depth, Deepest);
  }
  return static_cast<std::size_t>(depth);
}

}
