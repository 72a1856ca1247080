// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Base/Watchdog.h"
#include "Memory/Segment.h"
#include "Mpi/Communicator.h"
#include "Mpi/GroupBarrier.h"
#include "Mpi/MergedJobs.h"
#include "Transport/HostTransport.h"
#include "Transport/Mpi/LinkMessages.h"
#include "Transport/Mpi/MessageService.h"
#include "Transport/Mpi/MpiLink.h"
#include "Transport/Mpi/MpiOffer.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace dsm
{

/// One host's part in the MPI transports: joins clients when the mediator says so, lets MPI make
/// progress for one-sided transfers, serves two-sided ones, and parts with clients that leave.
///
/// All that is done in Step(). At MPI_THREAD_MULTIPLE a thread of the service calls it: without a
/// pause while bytes move, now and then while a client is joined, and not at all otherwise. At
/// lower levels no thread of ours may call MPI, and the host's program calls it (Server::Pump).
///
/// The segment is mapped a second time here, so that a client which still writes when the server
/// stops meets memory that is there, not a crash.
class MpiService
{
public:
  /// Collective over the hosts.
  MpiService(const LentSegment& segment, const TransportChoice& choice);
  ~MpiService();
  MpiService(const MpiService&) = delete;
  MpiService& operator=(const MpiService&) = delete;

  /// What clients can be offered; the port is known on rank 0.
  const MpiOffer& Offer() const { return this->WhatIsOffered; }

  /// The transports it serves, by preference.
  std::vector<std::string> Names() const;

  /// True when it serves what a choice wants of MPI.
  bool Serves(const TransportChoice& choice) const
  {
    return this->OneSided || !WantsOneSided(choice);
  }

  /// From now on events are obeyed; `tell` speaks to the mediator.
  void Start(std::function<void(Bytes)> tell);

  /// An event from the mediator; thread safe.
  void Receive(const Bytes& message);

  /// As HostTransport has it.
  void FollowDisk(int descriptor) { this->Memory.FollowDisk(descriptor); }

  /// True when the host's program must call Step.
  bool NeedsPump() const { return !this->Threaded; }

  /// Does what is to be done now. True when bytes move, so that it should soon be called again.
  bool Step();

  /// The hosts' own way to each other's memory; none when they share it.
  std::vector<std::shared_ptr<Transport>> OwnTransports();

  /// Ends the thread; links to clients that did not leave are left behind. Not collective. False
  /// when the thread is held in a call of MPI that will not return: then this object must live on.
  bool End();

  /// Collective over the hosts, after End: gives back what they share.
  void Free();

private:
  struct Client
  {
    std::shared_ptr<MpiLink> Link;
    std::unique_ptr<MessageService> Messages;
    bool Leaving = false;
    Deadline Until{ Seconds(0) };
  };

  struct JoiningClient ///< its ranks are on their way
  {
    ExecuteJoin Event;
    std::unique_ptr<GroupBarrier> Coming;
    Deadline Until;
  };

  /// An event that waits for Step.
  using Event = std::variant<PrepareJoin, ExecuteJoin, CloseLink, DropLink>;

  struct JobProof; ///< the message that proves a client to be in our job

  void Run();
  bool ServeOwn();
  bool Serve(Client& client);
  void Execute(const PrepareJoin& event);
  void Execute(const ExecuteJoin& event);
  void Execute(const CloseLink& event);
  void Execute(const DropLink& event);
  bool ClientsArrived();
  void Enter(const ExecuteJoin& event);
  void OnStuckCall(const char* call);
  void Drop(std::uint64_t link, const std::string& why);
  void CloseLeaving();
  bool JobProofsArrived();
  bool Idle() const;

  const Communicator Hosts;
  Segment Memory;
  MpiOffer WhatIsOffered;
  Port OwnPort;
  bool Threaded = false;
  bool OneSided = false;
  Client Own; ///< the hosts among themselves, if they do not share memory
  std::map<std::uint64_t, Client> Clients;
  std::map<std::uint64_t, std::unique_ptr<JobProof>> JobProofs;
  std::map<std::uint64_t, JoiningClient> JoiningClients;
  Clock::time_point PollUntil{};
  std::function<void(Bytes)> Tell;
  Watchdog JoinWatchdog;

  std::mutex Guard; ///< of what follows
  std::condition_variable Wake;
  std::deque<Event> Events;
  bool Ending = false;
  bool HasEnded = false; ///< the thread
  bool IsStuck = false;  ///< a call of MPI has not returned within the limit
  std::mutex OneStep;    ///< Step may be called by the thread and by a waiting reader
  std::thread Worker;
};

}
