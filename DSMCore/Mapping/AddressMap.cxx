// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/AddressMap.h"

#include "Base/Error.h"

namespace dsm
{

AddressMap::AddressMap(const MapParameters& parameters)
  : Given(parameters)
{
  if (parameters.Hosts == 0 || parameters.HostCapacity == 0)
  {
    throw Error(Fault::Usage,
      "an address map needs at least one host with some memory; it was given {} hosts of {} bytes",
      parameters.Hosts, parameters.HostCapacity);
  }
  if (parameters.HostCapacity > (UINT64_C(1) << 62) / parameters.Hosts)
  {
    throw Error(Fault::Usage, "{} hosts of {} bytes exceed the largest HDF5 file (2^62 bytes)",
      parameters.Hosts, parameters.HostCapacity);
  }
  for (const StrategyKind& kind : Strategies())
  {
    if (kind.Name == parameters.Strategy)
    {
      this->How = kind.Make(parameters);
      return;
    }
  }
  throw Error(Fault::Usage, "there is no redistribution strategy \"{}\": choose one of {}",
    parameters.Strategy, StrategyNames());
}

std::string StrategyNames()
{
  std::string names;
  for (const StrategyKind& kind : Strategies())
  {
    names += (names.empty() ? "" : ", ") + kind.Name;
  }
  return names;
}

}
