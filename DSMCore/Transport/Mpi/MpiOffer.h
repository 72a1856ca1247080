// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"
#include "Protocol/TransportChoice.h"
#include "Transport/Mpi/LinkMessages.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dsm
{

/// The ranks of a communicator; on its rank 0.
JobDescription DescribeJob(const Communicator& ranks);

/// The devices of this machine that move bytes by themselves and hold on to pages for that
/// (InfiniBand, RoCE, Omni-Path and EFA; Slingshot). An MPI library that uses one does not say so.
/// `root` is put before the paths of /sys.
std::vector<std::string> NetworksThatPin(const std::string& root = {});

/// How a client's ranks and the hosts come into one communicator.
enum class JoinMethod
{
  Static, ///< one launch started both (mpiexec A : B): they share MPI_COMM_WORLD
  Dynamic ///< two launches: MPI_Comm_connect to the hosts' port
};

/// What a server's hosts can do for clients that want to join them over MPI.
struct MpiOffer
{
  bool Given = false;      ///< the server's transport uses MPI
  std::string Port;        ///< empty when there is none
  std::string PortFailure; ///< why there is none
  std::string Progress;    ///< who lets MPI move bytes at the hosts, for people
  JobDescription Hosts;
};

/// How that client meets the hosts. Throws Error(Unsupported) when it cannot, saying why and what
/// to do instead.
JoinMethod ChooseJoinMethod(const MpiOffer& offer, const JobDescription& client);

/// "joined statically", …: how clients of the server would meet its hosts, for people.
std::string JoinMethodText(const MpiOffer& offer);

/// True when transfers between processes that `choice` cannot serve by shared memory go over MPI.
bool WantsMpi(const TransportChoice& choice);

/// True when they need the one-sided transport.
bool WantsOneSided(const TransportChoice& choice);

}
