// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/LayRoutes.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/NodeIdentity.h"
#include "Transport/Fabric.h"
#include "Transport/Router.h"
#include "Transport/SharedMemory.h"

#include <algorithm>
#include <map>
#include <optional>

namespace dsm
{

namespace
{
constexpr std::string_view FabricName = "fabric";

/// Makes each transport when the first host asks for it, and once.
class Movers
{
public:
  Movers(const ServerDescription& server, const TransportChoice& choice,
    const std::vector<std::shared_ptr<Transport>>& joined)
    : Server(server)
    , Choice(choice)
    , Joined(joined)
    , Here(NodeIdentity())
  {
  }

  Transport* For(std::uint64_t host, const std::string& name)
  {
    if (name == "shared-memory" || (this->IsNear(host) && this->Choice.NodeMemory))
    {
      if (!this->IsNear(host))
      {
        throw Error(Fault::Unsupported,
          "host {} of {} of the DSM server runs on another machine, or in a container with a "
          "/dev/shm of its own, where shared memory does not reach: {}",
          host, this->Server.Hosts.size(), Advice());
      }
      return this->Shared();
    }
    if (name.starts_with(FabricName))
    {
      return this->OverFabric(name);
    }
    return name == "auto" ? this->Best(host) : this->OverMpi(host, name);
  }

  std::vector<std::shared_ptr<Transport>> Made;

private:
  static std::string Advice()
  {
    return "run the simulation and ParaView on one node, or choose another transport on the "
           "server's side (or with DSM_TRANSPORT)";
  }

  bool IsNear(std::uint64_t host) const { return this->Server.Hosts[host].Node == this->Here; }

  // Fabric joins any two jobs; over MPI only what was joined when the image began.
  Transport* Best(std::uint64_t host)
  {
    if (!this->FabricFails)
    {
      try
      {
        return this->OverFabric(std::string(FabricName));
      }
      catch (const Error& error)
      {
        Log().info("{}", error.what());
        this->FabricFails = error.what();
      }
    }
    if (!this->Joined.empty())
    {
      return this->Keep(this->Joined.front());
    }
    if (this->IsNear(host))
    {
      return this->Shared();
    }
    throw Error(Fault::Unsupported,
      "host {} of {} of the DSM server runs on another machine, and no transport reaches it: {}",
      host, this->Server.Hosts.size(), *this->FabricFails);
  }

  Transport* OverMpi(std::uint64_t host, const std::string& name)
  {
    for (const auto& transport : this->Joined)
    {
      if (transport->Name() == name)
      {
        return this->Keep(transport);
      }
    }
    throw Error(Fault::Unsupported,
      "host {} of {} of the DSM server cannot be reached over the transport \"{}\" from this "
      "process: {}",
      host, this->Server.Hosts.size(), name, Advice());
  }

  // One line to all hosts that are not reached through memory.
  Transport* OverFabric(const std::string& name)
  {
    auto& made = this->OfFabric[name];
    if (!made)
    {
      const std::string provider =
        name == FabricName ? std::string() : name.substr(FabricName.size() + 1);
      made = std::make_shared<Fabric>(this->Server, provider,
        this->Hosts(
          [this](std::uint64_t host) { return !this->IsNear(host) || !this->Choice.NodeMemory; }));
    }
    return this->Keep(made);
  }

  Transport* Shared()
  {
    if (!this->NodeMemory)
    {
      this->NodeMemory = std::make_shared<SharedMemory>(
        this->Server, this->Hosts([this](std::uint64_t host) { return this->IsNear(host); }));
    }
    return this->Keep(this->NodeMemory);
  }

  template <typename Which>
  std::vector<std::uint64_t> Hosts(const Which& which) const
  {
    std::vector<std::uint64_t> some;
    for (std::uint64_t host = 0; host < this->Server.Hosts.size(); ++host)
    {
      if (which(host))
      {
        some.push_back(host);
      }
    }
    return some;
  }

  Transport* Keep(const std::shared_ptr<Transport>& transport)
  {
    if (std::find(this->Made.begin(), this->Made.end(), transport) == this->Made.end())
    {
      this->Made.push_back(transport);
    }
    return transport.get();
  }

  const ServerDescription& Server;
  const TransportChoice& Choice;
  const std::vector<std::shared_ptr<Transport>>& Joined;
  const std::string Here;
  std::shared_ptr<Transport> NodeMemory;
  std::map<std::string, std::shared_ptr<Transport>> OfFabric; ///< by the name in the choice
  std::optional<std::string> FabricFails;                     ///< why, once it was tried
};
}

std::shared_ptr<Transport> LayRoutes(const ServerDescription& server, const TransportChoice& choice,
  const std::vector<std::shared_ptr<Transport>>& joined)
{
  Movers movers(server, choice, joined);
  std::vector<Router::Route> routes;
  for (std::uint64_t host = 0; host < server.Hosts.size(); ++host)
  {
    Router::Route route;
    route.Heavy = movers.For(host, choice.Heavy);
    route.Light = choice.Light.empty() ? route.Heavy : movers.For(host, choice.Light);
    routes.push_back(route);
  }
  if (movers.Made.size() == 1)
  {
    return movers.Made.front();
  }
  return std::make_shared<Router>(std::move(movers.Made), std::move(routes), choice.Threshold);
}

}
