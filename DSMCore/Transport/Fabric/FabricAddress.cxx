// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Fabric/FabricAddress.h"

#include "Encoding/Encoding.h"

namespace dsm
{

namespace
{
const std::string Prefix = "fabric/";
}

void Describe(Fields& fields, FabricAddress& address)
{
  fields("Provider", address.Provider);
  fields("Names", address.Names);
  fields("Key", address.Key);
  fields("Base", address.Base);
}

TransportOffer OfferOf(const FabricAddress& address)
{
  FabricAddress forReading = address;
  forReading.Key = address.ReadKey;
  return { Prefix + address.Provider, Encode(address), Encode(forReading) };
}

std::vector<FabricAddress> FabricAddressesOf(const HostDescription& host)
{
  std::vector<FabricAddress> addresses;
  for (const TransportOffer& offer : host.Offers)
  {
    if (offer.Name.starts_with(Prefix))
    {
      addresses.push_back(Decode<FabricAddress>(offer.Content, "a host's offer of " + offer.Name));
    }
  }
  return addresses;
}

}
