// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"
#include "Mpi/Request.h"

#include <memory>
#include <vector>

namespace dsm
{

/// Two groups of ranks of one MPI_COMM_WORLD show each other that all of them are there, in calls
/// that can be given up. MPI_Intercomm_create and what follows it wait without a limit, so both
/// groups do this first:
///
///     a group's ranks     its first rank            the other group's first rank
///       "here"       ->   has heard from all   <->  has heard from all
///                    <-   "go"                 (and the same on the other side)
///
/// Messages, not barriers: those of a meeting that was given up carry its tag, so they disturb no
/// later one.
class Arrival
{
public:
  /// Both sides name the other's first rank in MPI_COMM_WORLD and the same tag, used by nothing
  /// else meanwhile, neither there nor on `ours`, which must live longer than this.
  Arrival(const Communicator& ours, int otherLeader, int tag);
  ~Arrival();
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;

  /// True once all of both groups are here. Each call lets MPI make progress.
  bool Done();

  /// What is missing, for messages.
  const char* WaitsFor() const;

private:
  void Await(MPI_Comm comm, int from);
  void Say(MPI_Comm comm, int to);
  bool HaveHeard();

  const Communicator& Group;
  const int OtherLeader;
  const int Tag;
  bool MetOurs = false;
  bool MetAll = false;
  std::vector<Request> Sent;
  std::vector<Request> Coming;
  std::unique_ptr<char> Nothing; ///< where empty messages arrive
};

}
