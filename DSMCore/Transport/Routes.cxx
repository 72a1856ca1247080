// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Routes.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/NodeIdentity.h"
#include "Transport/Router.h"
#include "Transport/TransportKind.h"

#include <algorithm>
#include <map>
#include <string>

namespace dsm
{

namespace
{
const std::string NodeMemory = "shared-memory";

constexpr const char* Advice =
  "run the simulation and ParaView on one node, or choose another transport on the server's side "
  "(or with DSM_TRANSPORT)";

/// Makes each transport when the first host asks for it, and once.
class Transports
{
public:
  Transports(const ServerDescription& server, const TransportChoice& choice,
    const std::vector<std::shared_ptr<Transport>>& joined)
    : Server(server)
    , Joined(joined)
    , Here(NodeIdentity())
    , OverMemory(choice.NodeMemory)
  {
  }

  Transport* For(HostIndex host, const std::string& name)
  {
    if (this->IsNear(host) && this->OverMemory)
    {
      if (Transport* memory = this->Memory(name))
      {
        return memory;
      }
    }
    if (name == "automatic")
    {
      return this->Best(host);
    }
    const TransportKind* kind = FindTransportKind(name);
    if (!kind)
    {
      throw Error(Fault::Unsupported,
        "the DSM server chooses the transport \"{}\", which this version does not know: use the "
        "same release of ParaView DSM on both sides",
        name);
    }
    if (kind->IsNodeLocal() && !this->IsNear(host))
    {
      throw Error(Fault::Unsupported,
        "host {} of {} of the DSM server runs on another machine, or in a container with a "
        "/dev/shm of its own, where the transport \"{}\" does not reach: {}",
        host, this->Server.Hosts.size(), name, Advice);
    }
    try
    {
      return this->Over(*kind, name);
    }
    catch (const Error& error)
    {
      throw Error(error.GetFault(),
        "host {} of {} of the DSM server cannot be reached over the transport \"{}\": {}; {}", host,
        this->Server.Hosts.size(), name, error.what(), Advice);
    }
  }

  /// What was taken to which hosts, and what was passed over and why, for people.
  std::string Text(const std::vector<Router::Route>& routes) const
  {
    std::string text;
    for (const auto& transport : this->Made)
    {
      const auto count = std::count_if(routes.begin(), routes.end(),
        [&](const Router::Route& route) { return route.Heavy == transport.get(); });
      const auto light = std::count_if(routes.begin(), routes.end(),
        [&](const Router::Route& route) { return route.Light == transport.get(); });
      text += fmt::format("{}{} to {} of {} hosts{}", text.empty() ? "" : ", ", transport->Name(),
        std::max(count, light), routes.size(), count == 0 ? " for small transfers" : "");
    }
    for (const auto& [kind, why] : this->Failed)
    {
      text += fmt::format("; {} was passed over: {}", kind->Name(), why);
    }
    return text;
  }

  std::vector<std::shared_ptr<Transport>> Made;

private:
  bool IsNear(HostIndex host) const { return this->Server.Hosts[host].Node == this->Here; }

  // Null where this user may not open it: then over what reaches a host from elsewhere.
  Transport* Memory(const std::string& name)
  {
    const TransportKind& kind = *FindTransportKind(NodeMemory);
    try
    {
      return this->Over(kind, NodeMemory);
    }
    catch (const Error& error)
    {
      if (error.GetFault() != Fault::Unsupported || name == NodeMemory)
      {
        throw;
      }
      this->Failed[&kind] = error.what();
      this->OverMemory = false;
      return nullptr;
    }
  }

  // The first that reaches the host; memory last where the choice is against it.
  Transport* Best(HostIndex host)
  {
    std::string why;
    for (const TransportKind* kind : TransportKinds())
    {
      if (kind->IsNodeLocal())
      {
        continue; // the host is elsewhere, or memory is not wanted
      }
      if (!this->Failed.contains(kind))
      {
        try
        {
          return this->Over(*kind, "automatic");
        }
        catch (const Error& error)
        {
          this->Failed[kind] = error.what();
        }
      }
      why += (why.empty() ? "" : "; ") + kind->Name() + ": " + this->Failed[kind];
    }
    if (this->IsNear(host))
    {
      const auto shut = this->Failed.find(FindTransportKind(NodeMemory));
      if (shut == this->Failed.end())
      {
        return this->Over(*FindTransportKind(NodeMemory), NodeMemory);
      }
      throw Error(Fault::Unsupported, "{}; and no transport reaches host {} of {} otherwise ({})",
        shut->second, host, this->Server.Hosts.size(), why);
    }
    throw Error(Fault::Unsupported,
      "host {} of {} of the DSM server runs on another machine, and no transport reaches it ({})",
      host, this->Server.Hosts.size(), why);
  }

  // One transport to all hosts that are reached by it.
  Transport* Over(const TransportKind& kind, const std::string& name)
  {
    auto& made = this->ByName[kind.Name() + " " + name];
    if (!made)
    {
      std::vector<HostIndex> hosts;
      for (HostIndex host = 0; host < this->Server.Hosts.size(); ++host)
      {
        const bool overMemory = this->IsNear(host) && this->OverMemory;
        if (kind.IsNodeLocal() ? this->IsNear(host) : !overMemory)
        {
          hosts.push_back(host);
        }
      }
      made = kind.Reach({ this->Server, hosts, this->Joined }, name);
    }
    if (std::find(this->Made.begin(), this->Made.end(), made) == this->Made.end())
    {
      this->Made.push_back(made);
    }
    return made.get();
  }

  const ServerDescription& Server;
  const std::vector<std::shared_ptr<Transport>>& Joined;
  const std::string Here;
  bool OverMemory; ///< to the hosts on this node
  std::map<std::string, std::shared_ptr<Transport>> ByName;
  std::map<const TransportKind*, std::string> Failed; ///< why, once it was tried
};
}

std::shared_ptr<Transport> MakeRoutes(const ServerDescription& server,
  const TransportChoice& choice, const std::vector<std::shared_ptr<Transport>>& joined)
{
  Transports transports(server, choice, joined);
  std::vector<Router::Route> routes;
  for (HostIndex host = 0; host < server.Hosts.size(); ++host)
  {
    Router::Route route;
    route.Heavy = transports.For(host, choice.Heavy);
    route.Light = choice.Light.empty() ? route.Heavy : transports.For(host, choice.Light);
    routes.push_back(route);
  }
  Log().info("bytes go by {}", transports.Text(routes));
  if (transports.Made.size() == 1)
  {
    return transports.Made.front();
  }
  return std::make_shared<Router>(std::move(transports.Made), std::move(routes), choice.Threshold);
}

}
