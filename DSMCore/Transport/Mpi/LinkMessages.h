// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Encoding.h"

#include <cstdint>
#include <string>

/// How a simulation's ranks and the hosts come into one MPI communicator, and part again: see
/// JoinCoordinator.h.
namespace dsm
{

/// Any of the messages below, by its name.
struct LinkMessage
{
  std::string Name;
  Bytes Body;

  template <typename Message>
  bool Is() const
  {
    return this->Name == Message::Name;
  }

  /// Throws Error(Refused) when it is not as it should be.
  template <typename Message>
  Message Content() const
  {
    return Decode<Message>(this->Body, "the message \"" + this->Name + "\"");
  }
};

void Describe(Fields&, LinkMessage&);

template <typename Message>
Bytes EncodeLinkMessage(const Message& message)
{
  return Encode(LinkMessage{ Message::Name, Encode(message) });
}

/// One side's ranks, as far as it matters for joining another's over MPI.
struct JobDescription
{
  std::string Library;         ///< "Open MPI 5.0.7"
  std::uint64_t WorldSize = 1; ///< of MPI_COMM_WORLD
  std::uint64_t Leader = 0;    ///< rank 0's rank in MPI_COMM_WORLD
  std::uint64_t Ranks = 1;     ///< that would join
};

/// What the simulation's ranks need to know to join.
struct JoinPlan
{
  std::uint64_t Link = 0; ///< the number of this joining
  bool Static = true;     ///< over MPI_COMM_WORLD; else by a port
  std::uint64_t Leader = 0;
  int Tag = 0;
};

/// May this simulation join the hosts?
struct JoinRequest
{
  static constexpr const char* Name = "join";
  using Reply = JoinPlan;

  JobDescription Job;
  bool OneSided = true;
};

struct OpenPort
{
  std::string Port; ///< to connect to; empty when joining statically
};

/// The simulation's ranks are ready for the collective call: answered when the hosts are.
struct EnterLink
{
  static constexpr const char* Name = "enter";
  using Reply = OpenPort;

  std::uint64_t Link = 0;
};

/// Notification of the simulation: it parts from the hosts.
struct LeaveLink
{
  static constexpr const char* Name = "leave";

  std::uint64_t Link = 0;
};

/// Event to host 0: see that the simulation can be met.
struct PrepareJoin
{
  static constexpr const char* Name = "link-prepare";

  std::uint64_t Link = 0;
  bool Static = true;
  std::uint64_t Leader = 0; ///< the simulation's, in MPI_COMM_WORLD
  int Tag = 0;
};

/// Event to all hosts: make the collective call.
struct ExecuteJoin
{
  static constexpr const char* Name = "link-execute";

  std::uint64_t Link = 0;
  bool Static = true;
  std::string Port;
  std::uint64_t Leader = 0;
  int Tag = 0;
  bool OneSided = true;
};

/// Event to all hosts: the simulation parts from them.
struct CloseLink
{
  static constexpr const char* Name = "link-close";

  std::uint64_t Link = 0;
};

/// Event to all hosts: the simulation has gone without parting.
struct DropLink
{
  static constexpr const char* Name = "link-drop";

  std::uint64_t Link = 0;
};

/// Notification of host 0: the simulation can be met.
struct JoinPrepared
{
  static constexpr const char* Name = "link-prepared";

  std::uint64_t Link = 0;
  std::string Port;
};

/// Notification of a host: it has made the collective call, or failed to; or something else is
/// wrong there (link 0).
struct JoinExecuted
{
  static constexpr const char* Name = "link-executed";

  std::uint64_t Link = 0;
  std::string Failure; ///< empty when all went well
  bool Stuck = false;  ///< the call never returned: this host can join nobody any more
};

void Describe(Fields&, JobDescription&);
void Describe(Fields&, JoinPlan&);
void Describe(Fields&, JoinRequest&);
void Describe(Fields&, OpenPort&);
void Describe(Fields&, EnterLink&);
void Describe(Fields&, LeaveLink&);
void Describe(Fields&, PrepareJoin&);
void Describe(Fields&, ExecuteJoin&);
void Describe(Fields&, CloseLink&);
void Describe(Fields&, DropLink&);
void Describe(Fields&, JoinPrepared&);
void Describe(Fields&, JoinExecuted&);

}
