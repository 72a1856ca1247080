// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/LayRoutes.h"

#include "Base/Error.h"
#include "Base/NodeIdentity.h"
#include "Transport/Router.h"
#include "Transport/SharedMemory.h"

#include <algorithm>

namespace dsm
{

namespace
{
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
    const bool near = this->Server.Hosts[host].Node == this->Here;
    if (name == "shared-memory" || (near && (this->Choice.NodeMemory || name == "auto")))
    {
      if (!near)
      {
        throw Error(Fault::Unsupported,
          "host {} of {} of the DSM server runs on another machine, or in a container with a "
          "/dev/shm of its own, where shared memory does not reach: {}",
          host, this->Server.Hosts.size(), this->Advice());
      }
      return this->Shared();
    }
    for (const auto& transport : this->Joined)
    {
      if (transport->Name() == name || name == "auto")
      {
        return this->Keep(transport);
      }
    }
    throw Error(Fault::Unsupported,
      "host {} of {} of the DSM server cannot be reached over the transport \"{}\" from this "
      "process: {}",
      host, this->Server.Hosts.size(), name, this->Advice());
  }

  std::vector<std::shared_ptr<Transport>> Made;

private:
  static std::string Advice()
  {
    return "run the simulation and ParaView on one node, or choose another transport on the "
           "server's side (or with DSM_TRANSPORT)";
  }

  Transport* Shared()
  {
    if (!this->NodeMemory)
    {
      std::vector<std::uint64_t> near;
      for (std::uint64_t host = 0; host < this->Server.Hosts.size(); ++host)
      {
        if (this->Server.Hosts[host].Node == this->Here)
        {
          near.push_back(host);
        }
      }
      this->NodeMemory = std::make_shared<SharedMemory>(this->Server, near);
    }
    return this->Keep(this->NodeMemory);
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
