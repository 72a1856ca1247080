// SPDX-License-Identifier: BSD-3-Clause
#include "Session/MpiMembership.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/NodeIdentity.h"
#include "Mpi/Job.h"
#include "Mpi/MergedJobs.h"
#include "Mpi/Request.h"
#include "Session/Agreement.h"
#include "Session/Connection.h"
#include "Session/Connections.h"
#include "Session/MpiOffer.h"
#include "Transport/Mpi/MpiMessages.h"
#include "Transport/Mpi/MpiRma.h"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

namespace dsm
{

namespace
{
// How long the others may take to part.
const Seconds PartingLimit(8);

// True when this process needs MPI to reach some host.
bool NeedsMpi(const Connection& connection)
{
  const ServerDescription& server = connection.Server();
  const TransportChoice choice = server.Transport.WithEnvironment();
  const std::string here = NodeIdentity();
  return WantsMpi(choice) && !connection.HasOwnWays() &&
    (!choice.NodeMemory ||
      std::any_of(server.Hosts.begin(), server.Hosts.end(),
        [&](const HostDescription& host) { return host.Node != here; }));
}

// All ranks have the same membership, which is one.
bool Share(const Communicator& ranks, const std::shared_ptr<MpiMembership>& membership)
{
  const std::uint64_t mine = membership ? membership->Number() : 0;
  const std::uint64_t most = ranks.Max(mine);
  const std::uint64_t least = ~ranks.Max(~mine);
  return most == least && most != 0;
}

// Rank 0's talk with the server before anybody enters a collective call.
nlohmann::json Arrange(const Communicator& ranks, Connection& connection)
{
  if (!MpiIsAlive())
  {
    throw Error(Fault::Unsupported,
      "the DSM server's hosts are to be reached over MPI, and this program has not called "
      "MPI_Init: choose the transport fabric, or run on the hosts' node");
  }
  const bool oneSided = WantsOneSided(connection.Server().Transport.WithEnvironment());
  auto link =
    connection.Ask("join", { { "job", JobDescription::Of(ranks) }, { "one_sided", oneSided } });
  link["one_sided"] = oneSided;
  Request greeting;
  if (link.at("static").get<bool>())
  {
    std::vector<std::byte> text(sizeof(std::uint64_t));
    const auto number = link.at("link").get<std::uint64_t>();
    std::memcpy(text.data(), &number, sizeof number);
    greeting = Request::SendOwned(
      MPI_COMM_WORLD, link.at("leader").get<int>(), link.at("tag").get<int>(), std::move(text));
  }
  try
  {
    link["port"] = connection.Ask("enter", { { "link", link.at("link") } }).at("port");
  }
  catch (...)
  {
    greeting.Cancel();
    throw;
  }
  const Deadline sent(Seconds(1));
  while (!greeting.Done() && !sent.Expired())
  {
    sched_yield();
  }
  return link;
}

// All ranks, after the server said that the hosts come.
std::shared_ptr<MpiMembership> Enter(const Communicator& ranks, const nlohmann::json& told,
  const std::shared_ptr<Connection>& connection)
{
  auto jobs = told.at("static").get<bool>()
    ? MergedJobs::MeetAsSecond(ranks, told.at("leader").get<int>(), told.at("tag").get<int>())
    : MergedJobs::Connect(ranks, told.at("port").get<std::string>());
  const auto hosts = connection->Server().Hosts.size();
  auto link =
    std::make_shared<MpiLink>(std::move(jobs), hosts, nullptr, 0, told.at("one_sided").get<bool>());
  MpiPatience patience;
  patience.Limit = RequestTimeout().count();
  patience.OthersLive = [server = std::weak_ptr<Connection>(connection)]
  {
    const auto there = server.lock();
    return there && there->CheckAlive();
  };
  std::vector<std::shared_ptr<Transport>> ways;
  if (link->OneSided())
  {
    ways.push_back(std::make_shared<MpiRma>(link, patience));
  }
  ways.push_back(std::make_shared<MpiMessages>(link, patience));
  return std::make_shared<MpiMembership>(
    told.at("link").get<std::uint64_t>(), ranks.Rank() == 0, std::move(link), std::move(ways));
}

void LeaveBeforeFinalize()
{
  static std::once_flag once;
  std::call_once(once, [] { job::AtFinalize(connections::LeaveHostsAtFinalize); });
}
}

MpiMembership::MpiMembership(std::uint64_t number, bool speaks, std::shared_ptr<MpiLink> link,
  std::vector<std::shared_ptr<Transport>> transports)
  : Link(number)
  , Speaks(speaks)
  , Shared(std::move(link))
  , Ways(std::move(transports))
{
}

void MpiMembership::Leave(Connection& connection) noexcept
{
  if (!MpiIsAlive())
  {
    this->Shared->Abandon();
    return;
  }
  try
  {
    if (this->Speaks)
    {
      connection.Tell("leave", { { "link", this->Link } });
    }
    MpiPatience patience;
    patience.Limit = PartingLimit.count();
    patience.OthersLive = [&connection] { return connection.CheckAlive(); };
    WaitPatiently(patience, "the hosts to part", [this] { return this->Shared->TryFree(); });
  }
  catch (const std::exception& error)
  {
    Log().warn(
      "this rank's link over MPI to the DSM server's hosts is left behind: {}", error.what());
  }
}

void ReachHosts(const Communicator& ranks, const std::shared_ptr<Connection>& connection)
{
  if (ranks.Max(std::uint64_t{ NeedsMpi(*connection) }) == 0 ||
    Share(ranks, connection->Membership()))
  {
    return;
  }
  const auto told = AskAsOne(ranks, [&] { return Arrange(ranks, *connection); });
  std::shared_ptr<MpiMembership> membership;
  const auto self =
    Communicator::Duplicate(ranks.Handle() == MPI_COMM_NULL ? MPI_COMM_SELF : MPI_COMM_NULL);
  Agree(ranks,
    [&] { membership = Enter(self.Handle() == MPI_COMM_NULL ? ranks : self, told, connection); });
  connection->SetMembership(std::move(membership));
  LeaveBeforeFinalize();
}

}
