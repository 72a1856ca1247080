// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Control/RequestId.h"
#include "Transport/Mpi/LinkMessages.h"
#include "Transport/Mpi/MpiOffer.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace dsm
{

/// Brings clients and hosts together for MPI calls that are collective over both. Those calls wait
/// without limit, so it first makes sure that all ranks take part:
///
///     client's rank 0          here                         hosts
///     join          ->  can they be joined? a number
///                   <-  number, leader              ->  link-prepare
///     (static: a message over MPI_COMM_WORLD proves that both are in one job;
///      dynamic: the port is open)                     <-  link-prepared
///     enter         ->  (waits for that)              ->  link-execute
///                   <-  port
///     all ranks call MPI_Comm_connect or MPI_Intercomm_create, the hosts its counterpart
///                                                       <-  linked
///     leave         ->                                  ->  link-close
///
/// One client at a time; others wait their turn. Not thread safe.
class JoinCoordinator
{
public:
  /// How it speaks to the client and to the hosts.
  struct Callbacks
  {
    std::function<void(const RequestId&, const JoinPlan&)> Plan;
    std::function<void(const RequestId&, const OpenPort&)> Enter;
    std::function<void(const RequestId&, const std::exception&)> Refuse;
    std::function<void(HostIndex host, const PrepareJoin&)> Prepare;
    std::function<void(HostIndex host, const ExecuteJoin&)> Execute;
    std::function<void(HostIndex host, const CloseLink&)> Close;
    std::function<void(HostIndex host, const DropLink&)> Drop;
    std::function<void(const std::string&)> Report; ///< of trouble
  };

  JoinCoordinator(MpiOffer offer, Callbacks callbacks);

  void Join(const RequestId& request, const JoinRequest& message);
  void Enter(const RequestId& request, const EnterLink& message);
  void Prepared(const JoinPrepared& message);
  void Executed(const JoinExecuted& message);
  void Leave(const PeerId& peer, const LeaveLink& message);

  /// A peer has ended or was lost.
  void Gone(const PeerId& peer);

  /// Several times a second, for the limits.
  void Tick();

  const MpiOffer& Offer() const { return this->WhatIsOffered; }

private:
  enum class Phase
  {
    Preparing, ///< the client has its number and does not know yet that it may enter
    Entering,  ///< all are told to enter
    Joined
  };

  struct Link
  {
    PeerId Owner;
    JoinMethod How = JoinMethod::Static;
    JobDescription Client;
    bool OneSided = true;
    Phase At = Phase::Preparing;
    bool HostsReady = false;
    std::string Port;               ///< of a dynamic meeting, once the hosts have opened it
    std::optional<RequestId> Entry; ///< the client's request to enter, until it is answered
    std::uint64_t Missing = 0;      ///< hosts that have not entered
    Deadline Until{ Seconds(0) };
  };

  struct Waiting
  {
    RequestId Request;
    JoinRequest Message;
    Deadline Until;
  };

  void Begin(const RequestId& request, const JoinRequest& message);
  void EnterAll(std::uint64_t number);
  void DropAll(std::uint64_t number);
  template <typename Visitor>
  void ForAllHosts(const Visitor& visit) const;
  void EndJoining();

  const MpiOffer WhatIsOffered;
  const Callbacks Call;
  std::map<std::uint64_t, Link> Links;
  std::optional<std::uint64_t> Joining;
  std::string Stuck; ///< why nobody can join any more
  std::deque<Waiting> Queue;
  std::uint64_t Last = 0;
};

}
