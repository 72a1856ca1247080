// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"
#include "Transport/Mpi/MpiLink.h"
#include "Transport/TransportPeer.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace dsm
{

/// A client rank's part in a communicator with the hosts. Made by JoinOverMpi on all ranks of a
/// file's communicator, kept in the TransportPeer, and used by later files as well.
class MpiMembership final : public TransportMembership
{
public:
  MpiMembership(std::uint64_t number, bool isLeader, std::shared_ptr<MpiLink> link,
    std::vector<std::shared_ptr<Transport>> transports);

  /// The server's number of it.
  std::uint64_t Number() const { return this->Link; }
  /// False once the hosts did not answer in time: a new one is needed.
  bool Usable() const { return !this->Shared->GivenUp(); }
  const std::vector<std::shared_ptr<Transport>>& Transports() const override { return this->Made; }

  void Leave(TransportPeer& peer) noexcept override;

private:
  std::uint64_t Link;
  bool IsLeader; ///< this rank communicates with the server
  std::shared_ptr<MpiLink> Shared;
  std::vector<std::shared_ptr<Transport>> Made;
};

/// True when this process needs MPI to reach some host.
bool NeedsMpi(const TransportPeer& peer);

/// Collective. If any rank needs MPI to reach a host, makes sure that all are joined with the
/// hosts, together: uses a membership that they share, or joins. `peer` is each rank's own; rank
/// 0's talks to the server. Throws the same on all ranks.
void JoinOverMpi(const Communicator& ranks, TransportPeer& peer);

}
