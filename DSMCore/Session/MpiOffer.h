// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/TransportChoice.h"
#include "Mpi/Communicator.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace dsm
{

/// One side's ranks, as far as it matters for joining another's over MPI.
struct JobDescription
{
  std::string Library;         ///< "Open MPI 5.0.7"
  std::uint64_t WorldSize = 1; ///< of MPI_COMM_WORLD
  std::uint64_t Leader = 0;    ///< rank 0's rank in MPI_COMM_WORLD
  std::uint64_t Ranks = 1;     ///< that would join

  /// The ranks of a communicator; on its rank 0.
  static JobDescription Of(const Communicator& ranks);
};

void to_json(nlohmann::json&, const JobDescription&);
void from_json(const nlohmann::json&, JobDescription&);

/// How a client's ranks and the hosts come into one communicator.
enum class Meeting
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
Meeting ChooseMeeting(const MpiOffer& offer, const JobDescription& client);

/// "joined statically", …: how clients of the server would meet its hosts, for people.
std::string MeetingText(const MpiOffer& offer);

/// True when transfers between processes that `choice` cannot serve by shared memory go over MPI.
bool WantsMpi(const TransportChoice& choice);

/// True when they need the one-sided transport.
bool WantsOneSided(const TransportChoice& choice);

}
