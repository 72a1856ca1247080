// SPDX-License-Identifier: BSD-3-Clause
#include "Session/MpiMembership.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/NodeIdentity.h"
#include "Base/Watchdog.h"
#include "Mpi/Arrival.h"
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
  const std::uint64_t mine = membership && membership->Usable() ? membership->Number() : 0;
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

// A call that waits for the hosts without a limit has taken too long. The thread that is in it
// cannot be freed.
void EndForWantOfHosts(const char* call)
{
  EndThisProcess(fmt::format(
    "{} waits for the DSM server's hosts for more than {:.3g} s (DSM_TIMEOUT): they answered a "
    "moment before, and then stopped or died. MPI cannot give up such a call, so this process "
    "ends; snapshots that were complete are kept by ParaView's side. The transport fabric can give "
    "up",
    call, RequestTimeout().count()));
}

// What a client's rank waits with once it has the link.
MpiPatience PatienceOf(const std::shared_ptr<Connection>& connection)
{
  MpiPatience patience;
  patience.Limit = RequestTimeout().count();
  patience.Overdue = EndForWantOfHosts;
  patience.OthersLive = [server = std::weak_ptr<Connection>(connection)]
  {
    const auto there = server.lock();
    return there && there->CheckAlive();
  };
  return patience;
}

// Static joining begins when every rank of both sides has shown that it is there.
void Arrive(const Communicator& ranks, const nlohmann::json& told, const MpiPatience& patience)
{
  Arrival arrival(ranks, told.at("leader").get<int>(), told.at("tag").get<int>());
  try
  {
    WaitPatiently(patience, "all of both sides to join", [&] { return arrival.Done(); });
  }
  catch (const Error& error)
  {
    throw Error(error.GetFault(), "{} (here {} is missing)", error.what(), arrival.WaitsFor());
  }
}

// All ranks, after the server said that the hosts come.
std::shared_ptr<MpiMembership> Enter(const Communicator& ranks, const nlohmann::json& told,
  const std::shared_ptr<Connection>& connection)
{
  const MpiPatience patience = PatienceOf(connection);
  const bool isStatic = told.at("static").get<bool>();
  if (isStatic)
  {
    Arrive(ranks, told, patience);
  }
  Watchdog dog(Seconds(patience.Limit), patience.Overdue);
  const Watchdog::Watch watch(dog, "joining the hosts over MPI");
  auto jobs = isStatic
    ? MergedJobs::MeetAsSecond(ranks, told.at("leader").get<int>(), told.at("tag").get<int>())
    : MergedJobs::Connect(ranks, told.at("port").get<std::string>());
  const auto hosts = connection->Server().Hosts.size();
  auto link =
    std::make_shared<MpiLink>(std::move(jobs), hosts, nullptr, 0, told.at("one_sided").get<bool>());
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
    Watchdog dog(PartingLimit * 2, EndForWantOfHosts);
    const Watchdog::Watch watch(dog, "parting from the hosts over MPI");
    WaitPatiently(patience, "the hosts to part", [this] { return this->Shared->TryFree(); });
  }
  catch (const std::exception& error)
  {
    Log().warn(
      "this rank's link over MPI to the DSM server's hosts is left behind: {}", error.what());
    job::LimitFinalize(RequestTimeout(),
      "the DSM server's hosts are in the same MPI job and no longer answer, and MPI_Finalize waits "
      "for them");
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
