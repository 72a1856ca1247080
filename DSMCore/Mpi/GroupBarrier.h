// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"
#include "Mpi/Request.h"

#include <memory>
#include <vector>

namespace dsm
{

/// A barrier between two groups of ranks of one MPI_COMM_WORLD that can be given up.
/// MPI_Intercomm_create and what follows it wait without a limit, so both groups do this first:
///
///
///     a group's ranks     its first rank            the other group's first rank
///       "here"       ->   received from all    <->  received from all
///                    <-   "go"                 (and the same on the other side)
///
/// It consists of messages with a tag: those of a barrier that was given up do not match a later
/// one.
class GroupBarrier
{
public:
  /// Both sides name the other's first rank in MPI_COMM_WORLD and the same tag, used by nothing
  /// else meanwhile, neither there nor on `ours`, which must live longer than this.
  GroupBarrier(const Communicator& ours, int otherLeader, int tag);
  ~GroupBarrier();
  GroupBarrier(const GroupBarrier&) = delete;
  GroupBarrier& operator=(const GroupBarrier&) = delete;

  /// True once all of both groups are here. Each call lets MPI make progress.
  bool Done();

  /// What is missing, for messages.
  const char* Missing() const;

private:
  void Await(MPI_Comm comm, int from);
  void Send(MPI_Comm comm, int to);
  bool ReceivedAll();

  const Communicator& Group;
  const int OtherLeader;
  const int Tag;
  bool OursComplete = false;
  bool AllComplete = false;
  std::vector<Request> Sent;
  std::vector<Request> Coming;
  std::unique_ptr<char> Nothing; ///< where empty messages arrive
};

}
