// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/Aggregators.h"

#include <algorithm>

namespace dsm
{

Aggregators::Aggregators(const AddressMap& map, int ranks)
  : Map(map.InMemory())
  , Hosts(map.Parameters().Hosts)
  , Ranks(static_cast<std::uint64_t>(ranks))
{
}

Aggregators::Domain Aggregators::At(FileOffset address) const
{
  if (address >= this->Map.Capacity())
  {
    const std::uint64_t beyond = address - this->Map.Capacity();
    return { static_cast<int>(beyond / Stripe % this->Ranks), Stripe - beyond % Stripe };
  }
  const Location place = this->Map.Locate(address);
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
