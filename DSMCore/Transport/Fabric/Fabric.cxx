// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Fabric/Fabric.h"

#include "Base/Log.h"
#include "Base/NodeIdentity.h"
#include "Transport/Fabric/FabricAddress.h"
#include "Transport/Fabric/FabricInitiator.h"
#include "Transport/Fabric/FabricNames.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

namespace dsm
{

namespace
{
std::optional<FabricAddress> AddressOf(const HostDescription& host, const std::string& provider)
{
  for (FabricAddress& address : FabricAddressesOf(host))
  {
    if (address.Provider == provider || address.Provider.starts_with(provider + ";"))
    {
      return std::move(address);
    }
  }
  return std::nullopt;
}

std::string Offered(const HostDescription& host)
{
  std::string names;
  for (const FabricAddress& address : FabricAddressesOf(host))
  {
    names += (names.empty() ? "" : ", ") + address.Provider;
  }
  return names.empty() ? "none" : names;
}

// The provider to use, as the hosts call it.
std::string Choose(
  const ServerDescription& server, const std::string& wanted, const std::vector<HostIndex>& hosts)
{
  std::vector<std::string> passedOver;
  for (const FabricAddress& offer : FabricAddressesOf(server.Hosts[hosts.front()]))
  {
    const bool everywhere = std::all_of(hosts.begin(), hosts.end(),
      [&](HostIndex host) { return AddressOf(server.Hosts[host], offer.Provider).has_value(); });
    const bool fits =
      wanted.empty() || offer.Provider == wanted || offer.Provider.starts_with(wanted + ";");
    const bool has = fabric::Has(offer.Provider);
    if (everywhere && fits && has)
    {
      if (!passedOver.empty())
      {
        Log().info(
          "fabric/{} is taken; passed over: {}", offer.Provider, fmt::join(passedOver, ", "));
      }
      return offer.Provider;
    }
    if (fits)
    {
      passedOver.push_back(fmt::format("fabric/{}, which {}", offer.Provider,
        has ? "not all hosts offer" : "libfabric does not have here"));
    }
  }
  std::set<std::string> offers;
  for (const HostIndex host : hosts)
  {
    offers.insert(Offered(server.Hosts[host]));
  }
  throw Error(Fault::Unsupported,
    "this process and the DSM server's hosts have no fabric provider{} in common: the hosts offer "
    "{}, libfabric has {} here. Start the server with one that both have (fabric/tcp works on any "
    "network), or choose another transport on its side or with DSM_TRANSPORT",
    wanted.empty() ? "" : " \"" + wanted + "\"", fmt::join(offers, " or "),
    fmt::join(fabric::Providers(), ", "));
}
}

class Fabric::Implementation
{
public:
  Implementation(
    const ServerDescription& server, const std::string& wanted, const std::vector<HostIndex>& hosts)
    : Provider(Choose(server, wanted, hosts))
    , Places(server.Hosts.size())
  {
    const auto interfaces = fabric::Interfaces();
    const std::string network = NetworkIdentity();
    for (const HostIndex host : hosts)
    {
      const HostDescription& description = server.Hosts[host];
      const auto address = AddressOf(description, this->Provider).value_or(FabricAddress());
      fabric::Target target;
      target.Who = fmt::format("host {} of {} ({})", host, server.Hosts.size(), description.Name);
      target.Names =
        fabric::OrderByReachability(address.Names, description.Network == network, interfaces);
      if (target.Names.empty())
      {
        throw Error(Fault::Unsupported,
          "{} of the DSM server has no address for fabric/{} that other machines reach: its "
          "machine "
          "has no network. Start the server where there is one, or choose another transport",
          target.Who, this->Provider);
      }
      target.Key = address.Key;
      target.Base = address.Base;
      this->Places[host] = this->Targets.size();
      this->Targets.push_back(std::move(target));
    }
    this->Open();
  }

  void Open()
  {
    this->Initiator =
      std::make_unique<fabric::Initiator>(this->Provider, this->Targets, this->Bounce);
  }

  // Does something on the initiator. One that failed is closed at once: from then on nobody
  // touches the callers' memory.
  template <typename Action>
  void On(const Action& action)
  {
    if (!this->Initiator)
    {
      this->Open();
    }
    try
    {
      action(*this->Initiator);
    }
    catch (...)
    {
      this->Initiator.reset();
      throw;
    }
  }

  const std::string Provider;
  std::vector<std::size_t> Places; ///< a host's place among the targets
  std::vector<fabric::Target> Targets;
  std::unique_ptr<fabric::Initiator> Initiator;
  bool Bounce = false;
};

Fabric::Fabric(
  const ServerDescription& server, const std::string& provider, const std::vector<HostIndex>& hosts)
  : Self(std::make_unique<Implementation>(server, provider, hosts))
{
}

Fabric::~Fabric() = default;

std::string Fabric::Name() const
{
  return "fabric/" + this->Self->Provider;
}

void Fabric::Put(HostIndex host, std::uint64_t offset, const void* source, std::uint64_t size)
{
  this->Self->On(
    [&](fabric::Initiator& initiator)
    {
      initiator.Write(
        this->Self->Places[host], offset, static_cast<const std::byte*>(source), size);
    });
}

void Fabric::Get(HostIndex host, std::uint64_t offset, void* destination, std::uint64_t size)
{
  this->Self->On(
    [&](fabric::Initiator& initiator)
    {
      initiator.Read(this->Self->Places[host], offset, static_cast<std::byte*>(destination), size);
    });
}

void Fabric::PutPieces(HostIndex host, std::span<const PutPiece> pieces)
{
  this->Self->On(
    [&](fabric::Initiator& initiator) { initiator.WritePieces(this->Self->Places[host], pieces); });
}

void Fabric::GetPieces(HostIndex host, std::span<const GetPiece> pieces)
{
  this->Self->On(
    [&](fabric::Initiator& initiator) { initiator.ReadPieces(this->Self->Places[host], pieces); });
}

void Fabric::Flush()
{
  if (this->Self->Initiator)
  {
    this->Self->On([](fabric::Initiator& initiator) { initiator.Drain(); });
  }
}

void Fabric::UseBounceBuffers()
{
  this->Self->Bounce = true;
  this->Self->Initiator.reset();
}

}
