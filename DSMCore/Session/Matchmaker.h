// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Control/Listener.h"
#include "Session/MpiOffer.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace dsm
{

/// Brings clients and hosts together for MPI calls that are collective over both. Those calls wait
/// without limit, so it first makes sure that everybody will come:
///
///     client's rank 0          here                         hosts
///     join          ->  can they meet at all? a number
///                   <-  number, leader              ->  link-meet
///     (static: a message over MPI_COMM_WORLD proves that both are in one job;
///      dynamic: the port is open)                     <-  link-met
///     enter         ->  (waits for that)              ->  link-enter
///                   <-  port
///     all ranks call MPI_Comm_connect or MPI_Intercomm_create, the hosts its counterpart
///                                                       <-  linked
///     leave         ->                                  ->  link-leave
///
/// One client at a time; others wait their turn. Not thread safe.
class Matchmaker
{
public:
  using Json = nlohmann::json;

  struct Ways
  {
    std::function<void(const PeerId&, const Json& request, Json reply)> Reply;
    std::function<void(const PeerId&, const Json& request, const std::exception&)> Refuse;
    std::function<void(std::uint64_t host, Json event)> ToHost;
    std::function<void(const std::string&)> Report; ///< of trouble
  };

  Matchmaker(MpiOffer offer, Ways ways);

  void Join(const PeerId& peer, const Json& message);
  void Enter(const PeerId& peer, const Json& message);
  void Met(const Json& message);
  void Linked(const Json& message);
  void Leave(const PeerId& peer, const Json& message);

  /// A peer has ended or vanished.
  void Gone(const PeerId& peer);

  /// Several times a second, for the limits.
  void Tick();

  const MpiOffer& Offer() const { return this->WhatIsOffered; }

private:
  enum class Phase
  {
    Meeting,  ///< the client has its number and does not know yet that it may enter
    Entering, ///< all are told to enter
    Joined
  };

  struct Link
  {
    PeerId Owner;
    Meeting How = Meeting::Static;
    JobDescription Client;
    bool OneSided = true;
    Phase At = Phase::Meeting;
    bool HaveMet = false;
    std::string Port;          ///< of a dynamic meeting, once the hosts have opened it
    std::optional<Json> Entry; ///< the client's "enter", until it is answered
    std::uint64_t Missing = 0; ///< hosts that have not entered
    Deadline Until{ Seconds(0) };
  };

  struct Waiting
  {
    PeerId Peer;
    Json Request;
    Deadline Until;
  };

  void Begin(const PeerId& peer, const Json& message);
  void EnterAll(std::uint64_t number);
  void ToAll(const Json& event);
  void EndJoining();

  const MpiOffer WhatIsOffered;
  const Ways Tell;
  std::map<std::uint64_t, Link> Links;
  std::optional<std::uint64_t> Joining;
  std::string Stuck; ///< why nobody can join any more
  std::deque<Waiting> Queue;
  std::uint64_t Last = 0;
};

}
