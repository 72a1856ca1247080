// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/AddressMap.h"

#include "Base/Error.h"
#include "Mapping/BlockCyclic.h"
#include "Mapping/Contiguous.h"
#include "Mapping/Mask.h"
#include "Mapping/RandomBlock.h"

#include <array>
#include <string_view>

namespace dsm
{

namespace
{
using Maker = std::shared_ptr<const Strategy> (*)(const MapParameters&);

struct Entry
{
  std::string_view Name;
  Maker Make;
};

const std::array<Entry, 4> Strategies{ {
  { "contiguous", [](const MapParameters& p) -> std::shared_ptr<const Strategy>
    { return std::make_shared<Contiguous>(p.Hosts, p.HostCapacity); } },
  { "mask", [](const MapParameters& p) -> std::shared_ptr<const Strategy>
    { return std::make_shared<Mask>(p.Hosts, p.HostCapacity, p.ExpectedSize); } },
  { "block cyclic", [](const MapParameters& p) -> std::shared_ptr<const Strategy>
    { return std::make_shared<BlockCyclic>(p); } },
  { "random block", [](const MapParameters& p) -> std::shared_ptr<const Strategy>
    { return std::make_shared<RandomBlock>(p); } },
} };
}

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
  for (const Entry& entry : Strategies)
  {
    if (entry.Name == parameters.Strategy)
    {
      this->Way = entry.Make(parameters);
      return;
    }
  }
  throw Error(Fault::Usage, "there is no redistribution strategy \"{}\": choose one of {}",
    parameters.Strategy, StrategyNames());
}

std::string StrategyNames()
{
  std::string names;
  for (const Entry& entry : Strategies)
  {
    names += (names.empty() ? "" : ", ") + std::string(entry.Name);
  }
  return names;
}

}
