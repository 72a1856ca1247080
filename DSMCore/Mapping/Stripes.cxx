// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/Stripes.h"

#include "Base/RoundUp.h"

#include <algorithm>

namespace dsm
{

AddressMap StripesOver(std::uint64_t files, std::uint64_t stripeSize, std::uint64_t fileSize)
{
  MapParameters stripes;
  stripes.Strategy = "block cyclic";
  stripes.Hosts = files;
  stripes.BlockSize = files == 1 ? std::max<std::uint64_t>(fileSize, 1) : stripeSize;
  // Whole rounds, of which there is at least one. No file, or stripes of no size: the map says so.
  const std::uint64_t round = std::max<std::uint64_t>(files * stripes.BlockSize, 1);
  stripes.HostCapacity =
    RoundUp(std::max<std::uint64_t>(fileSize, 1), round) / round * stripes.BlockSize;
  return AddressMap(stripes);
}

}
