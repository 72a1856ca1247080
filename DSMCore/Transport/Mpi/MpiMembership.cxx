// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/MpiMembership.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/NodeIdentity.h"
#include "Base/Timeouts.h"
#include "Base/Watchdog.h"
#include "Mpi/Agreement.h"
#include "Mpi/GroupBarrier.h"
#include "Mpi/Job.h"
#include "Mpi/MergedJobs.h"
#include "Mpi/Request.h"
#include "Transport/ChooseTransport.h"
#include "Transport/Mpi/LinkMessages.h"
#include "Transport/Mpi/MpiMessages.h"
#include "Transport/Mpi/MpiOffer.h"
#include "Transport/Mpi/MpiRma.h"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace dsm
{

namespace
{
const std::string Name = "mpi";

// How long the others may take to part.
const Seconds PartingLimit(8);

// All ranks have the same membership, which is one.
bool Share(const Communicator& ranks, const std::shared_ptr<MpiMembership>& membership)
{
  const std::uint64_t mine = membership && membership->Usable() ? membership->Number() : 0;
  const std::uint64_t most = ranks.Max(mine);
  const std::uint64_t least = ~ranks.Max(~mine);
  return most == least && most != 0;
}

// Asks the mediator.
template <typename Message>
typename Message::Reply RequestMediator(TransportPeer& peer, const Message& message)
{
  return Decode<typename Message::Reply>(
    peer.AskTransport(Name, EncodeLinkMessage(message)), "the mediator's answer");
}

/// What all ranks need to know to join.
struct JoinParameters
{
  JoinPlan Plan;
  bool OneSided = true;
  std::string Port; ///< of a dynamic joining
};

void Describe(Fields& fields, JoinParameters& parameters)
{
  fields("Plan", parameters.Plan);
  fields("OneSided", parameters.OneSided);
  fields("Port", parameters.Port);
}

// Rank 0's talk with the server before anybody enters a collective call.
JoinParameters NegotiateJoin(const Communicator& ranks, TransportPeer& peer)
{
  if (!MpiIsAlive())
  {
    throw Error(Fault::Unsupported,
      "the DSM server's hosts are to be reached over MPI, and this program has not called "
      "MPI_Init: choose the transport fabric, or run on the hosts' node");
  }
  JoinParameters made;
  made.OneSided = WantsOneSided(TransportWithEnvironment(peer.Server()->Transport));
  made.Plan = RequestMediator(peer, JoinRequest{ DescribeJob(ranks), made.OneSided });
  Request proof;
  if (made.Plan.Static)
  {
    std::vector<std::byte> text(sizeof made.Plan.Link);
    std::memcpy(text.data(), &made.Plan.Link, sizeof made.Plan.Link);
    proof = Request::SendOwned(
      MPI_COMM_WORLD, static_cast<int>(made.Plan.Leader), made.Plan.Tag, std::move(text));
  }
  try
  {
    made.Port = RequestMediator(peer, EnterLink{ made.Plan.Link }).Port;
  }
  catch (...)
  {
    proof.Cancel();
    throw;
  }
  const Deadline sent(Seconds(1));
  while (!proof.Done() && !sent.Expired())
  {
    sched_yield();
  }
  return made;
}

// A call that waits for the hosts without a limit has taken too long. The thread that is in it
// cannot be freed.
void EndForWantOfHosts(const char* call, Seconds limit, const char* setting)
{
  EndThisProcess(fmt::format(
    "{} waits for the DSM server's hosts for more than {:.3g} s{}: they answered a moment before, "
    "and then stopped or died. MPI cannot give up such a call, so this process ends; snapshots "
    "that were complete are kept by ParaView's side. The transport fabric can give up",
    call, limit.count(), setting));
}

// What a client's rank waits with once it has the link.
WaitPolicy WaitPolicyOf(TransportPeer& peer)
{
  WaitPolicy waitPolicy;
  waitPolicy.Limit = RequestTimeout().count();
  waitPolicy.Overdue = [](const char* call)
  { EndForWantOfHosts(call, RequestTimeout(), " (DSM_TIMEOUT)"); };
  waitPolicy.PeersAlive = [alive = peer.AliveCheck()] { return alive(); };
  return waitPolicy;
}

// Static joining begins when every rank of both sides has shown that it is there.
void MeetAtBarrier(const Communicator& ranks, const JoinPlan& plan, const WaitPolicy& waitPolicy)
{
  GroupBarrier barrier(ranks, static_cast<int>(plan.Leader), plan.Tag);
  try
  {
    WaitFor(waitPolicy, "all of both sides to join", [&] { return barrier.Done(); });
  }
  catch (const Error& error)
  {
    throw Error(error.GetFault(), "{} (here {} is missing)", error.what(), barrier.Missing());
  }
}

// All ranks, after the server said that the hosts come.
std::shared_ptr<MpiMembership> Enter(
  const Communicator& ranks, const JoinParameters& arranged, TransportPeer& peer)
{
  const WaitPolicy waitPolicy = WaitPolicyOf(peer);
  const JoinPlan& plan = arranged.Plan;
  if (plan.Static)
  {
    MeetAtBarrier(ranks, plan, waitPolicy);
  }
  Watchdog watchdog(Seconds(waitPolicy.Limit), waitPolicy.Overdue);
  const Watchdog::Watch watch(watchdog, "joining the hosts over MPI");
  auto jobs = plan.Static ? MergedJobs::JoinAsSecond(ranks, static_cast<int>(plan.Leader), plan.Tag)
                          : MergedJobs::Connect(ranks, arranged.Port);
  const auto hosts = peer.Server()->Hosts.size();
  auto link = std::make_shared<MpiLink>(std::move(jobs), hosts, nullptr, 0, arranged.OneSided);
  std::vector<std::shared_ptr<Transport>> made;
  if (link->OneSided())
  {
    made.push_back(std::make_shared<MpiRma>(link, waitPolicy));
  }
  made.push_back(std::make_shared<MpiMessages>(link, waitPolicy));
  return std::make_shared<MpiMembership>(
    plan.Link, ranks.Rank() == 0, std::move(link), std::move(made));
}
}

MpiMembership::MpiMembership(std::uint64_t number, bool isLeader, std::shared_ptr<MpiLink> link,
  std::vector<std::shared_ptr<Transport>> transports)
  : Link(number)
  , IsLeader(isLeader)
  , Shared(std::move(link))
  , Made(std::move(transports))
{
}

void MpiMembership::Leave(TransportPeer& peer) noexcept
{
  if (!MpiIsAlive())
  {
    this->Shared->Leak();
    return;
  }
  try
  {
    if (this->IsLeader)
    {
      peer.TellTransport(Name, EncodeLinkMessage(LeaveLink{ this->Link }));
    }
    WaitPolicy waitPolicy;
    waitPolicy.Limit = PartingLimit.count();
    waitPolicy.PeersAlive = [&peer] { return peer.CheckAlive(); };
    Watchdog watchdog(
      PartingLimit * 2, [](const char* call) { EndForWantOfHosts(call, PartingLimit * 2, ""); });
    const Watchdog::Watch watch(watchdog, "parting from the hosts over MPI");
    WaitFor(waitPolicy, "the hosts to part", [this] { return this->Shared->TryFree(); });
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

bool NeedsMpi(const TransportPeer& peer)
{
  const auto server = peer.Server();
  const TransportChoice choice = TransportWithEnvironment(server->Transport);
  if (!WantsMpi(choice) || peer.HasOwnTransports())
  {
    return false;
  }
  const std::string here = NodeIdentity();
  return !choice.NodeMemory ||
    std::any_of(server->Hosts.begin(), server->Hosts.end(),
      [&](const HostDescription& host) { return host.Node != here; });
}

void JoinOverMpi(const Communicator& ranks, TransportPeer& peer)
{
  // The environment of one rank may be wrong: then all ranks throw.
  Totals needs{ { 0 }, {} };
  needs = Agree(ranks, needs, [&] { needs.Maxima[0] = NeedsMpi(peer) ? 1 : 0; });
  if (needs.Maxima[0] == 0 ||
    Share(ranks, std::dynamic_pointer_cast<MpiMembership>(peer.Membership())))
  {
    return;
  }
  const auto arranged = RunOnRankZero(ranks, [&] { return NegotiateJoin(ranks, peer); });
  std::shared_ptr<MpiMembership> membership;
  const auto self =
    Communicator::Duplicate(ranks.Handle() == MPI_COMM_NULL ? MPI_COMM_SELF : MPI_COMM_NULL);
  Agree(ranks,
    [&] { membership = Enter(self.Handle() == MPI_COMM_NULL ? ranks : self, arranged, peer); });
  peer.SetMembership(std::move(membership));
}

}
