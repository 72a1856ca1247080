// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Fabric.h"

#include "Base/NodeIdentity.h"
#include "Transport/FabricLine.h"
#include "Transport/FabricNames.h"

#include <algorithm>
#include <set>

namespace dsm
{

namespace
{
const FabricAddress* AddressOf(const HostDescription& host, const std::string& provider)
{
  const auto found =
    std::find_if(host.Fabric.begin(), host.Fabric.end(), [&](const FabricAddress& address)
      { return address.Provider == provider || address.Provider.starts_with(provider + ";"); });
  return found == host.Fabric.end() ? nullptr : &*found;
}

std::string Offered(const HostDescription& host)
{
  std::string names;
  for (const FabricAddress& address : host.Fabric)
  {
    names += (names.empty() ? "" : ", ") + address.Provider;
  }
  return names.empty() ? "none" : names;
}

// The provider to use, as the hosts call it.
std::string Choose(const ServerDescription& server, const std::string& wanted,
  const std::vector<std::uint64_t>& hosts)
{
  for (const FabricAddress& offer : server.Hosts[hosts.front()].Fabric)
  {
    const bool everywhere = std::all_of(hosts.begin(), hosts.end(),
      [&](std::uint64_t host) { return AddressOf(server.Hosts[host], offer.Provider); });
    const bool fits =
      wanted.empty() || offer.Provider == wanted || offer.Provider.starts_with(wanted + ";");
    if (everywhere && fits && fabric::Has(offer.Provider))
    {
      return offer.Provider;
    }
  }
  std::set<std::string> offers;
  for (const std::uint64_t host : hosts)
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
  Implementation(const ServerDescription& server, const std::string& wanted,
    const std::vector<std::uint64_t>& hosts)
    : Provider(Choose(server, wanted, hosts))
    , Places(server.Hosts.size())
  {
    const auto interfaces = fabric::Interfaces();
    const std::string network = NetworkIdentity();
    for (const std::uint64_t host : hosts)
    {
      const HostDescription& description = server.Hosts[host];
      const FabricAddress& address = *AddressOf(description, this->Provider);
      fabric::Target target;
      target.Who = fmt::format("host {} of {} ({})", host, server.Hosts.size(), description.Name);
      target.Ways = fabric::ByReach(address.Names, description.Network == network, interfaces);
      if (target.Ways.empty())
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
    this->Line = std::make_unique<fabric::Line>(this->Provider, this->Targets, this->Bounce);
  }

  // Does something on the line. A line that failed is closed at once: from then on nobody touches
  // the callers' memory.
  template <typename Action>
  void On(const Action& action)
  {
    if (!this->Line)
    {
      this->Open();
    }
    try
    {
      action(*this->Line);
    }
    catch (...)
    {
      this->Line.reset();
      throw;
    }
  }

  const std::string Provider;
  std::vector<std::size_t> Places; ///< a host's place among the targets
  std::vector<fabric::Target> Targets;
  std::unique_ptr<fabric::Line> Line;
  bool Bounce = false;
};

Fabric::Fabric(const ServerDescription& server, const std::string& provider,
  const std::vector<std::uint64_t>& hosts)
  : Self(std::make_unique<Implementation>(server, provider, hosts))
{
}

Fabric::~Fabric() = default;

std::string Fabric::Name() const
{
  return "fabric/" + this->Self->Provider;
}

void Fabric::Put(std::uint64_t host, std::uint64_t offset, const void* source, std::uint64_t size)
{
  this->Self->On([&](fabric::Line& line)
    { line.Write(this->Self->Places[host], offset, static_cast<const std::byte*>(source), size); });
}

void Fabric::Get(std::uint64_t host, std::uint64_t offset, void* destination, std::uint64_t size)
{
  this->Self->On([&](fabric::Line& line)
    { line.Read(this->Self->Places[host], offset, static_cast<std::byte*>(destination), size); });
}

void Fabric::Flush()
{
  if (this->Self->Line)
  {
    this->Self->On([](fabric::Line& line) { line.Drain(); });
  }
}

void Fabric::UseBounceBuffers()
{
  this->Self->Bounce = true;
  this->Self->Line.reset();
}

}
