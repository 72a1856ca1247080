// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"
#include "Transport/Mpi/MpiLink.h"
#include "Transport/Transport.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace dsm
{

class Connection;

/// A client rank's part in a communicator with the hosts. Made by ReachHosts on all ranks of a
/// file's communicator, kept in the Connection, and used by later files as well.
class MpiMembership
{
public:
  MpiMembership(std::uint64_t number, bool speaks, std::shared_ptr<MpiLink> link,
    std::vector<std::shared_ptr<Transport>> transports);

  /// The server's number of it.
  std::uint64_t Number() const { return this->Link; }
  /// False once the hosts did not answer in time: a new one is needed.
  bool Usable() const { return !this->Shared->GivenUp(); }
  const std::vector<std::shared_ptr<Transport>>& Transports() const { return this->Ways; }

  /// Collective over the ranks that joined, and gives up when they or the hosts do not come.
  void Leave(Connection& connection) noexcept;

private:
  std::uint64_t Link;
  bool Speaks; ///< this is the rank that talks to the server
  std::shared_ptr<MpiLink> Shared;
  std::vector<std::shared_ptr<Transport>> Ways;
};

/// Collective. If any rank needs MPI to reach a host, makes sure that all are joined with the
/// hosts, together: uses a membership that they share, or joins. `connection` is each rank's own;
/// rank 0's talks to the server. Throws the same on all ranks.
void ReachHosts(const Communicator& ranks, const std::shared_ptr<Connection>& connection);

}
