// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/Aggregators.h"

#include <algorithm>
#include <limits>

namespace dsm
{

Aggregators::Aggregators(const AddressMap& map, int ranks)
  : Map(&map)
  , Hosts(map.Parameters().Hosts)
  , Ranks(static_cast<std::uint64_t>(ranks))
{
}

Aggregators::Domain Aggregators::At(std::uint64_t address) const
{
  if (address >= this->Map->Capacity())
  {
    return { 0, std::numeric_limits<std::uint64_t>::max() - address };
  }
  const Location place = this->Map->Locate(address);
  if (this->Ranks <= this->Hosts)
  {
    return { static_cast<int>(place.Host % this->Ranks), place.Run };
  }
  const std::uint64_t ofHost = (this->Ranks - place.Host + this->Hosts - 1) / this->Hosts;
  const std::uint64_t stripe = place.Offset / Stripe;
  return { static_cast<int>(place.Host + this->Hosts * (stripe % ofHost)),
    std::min(place.Run, Stripe - place.Offset % Stripe) };
}

}
