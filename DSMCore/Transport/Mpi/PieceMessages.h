// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Pieces.h"
#include "Transport/Mpi/Transfers.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace dsm
{

/// Small pieces of a host's segment as messages that list them: the host copies the bytes there, or
/// sends them back together (MessageService). MPI could describe them by derived types, of which
/// libraries make one transfer for each piece (Open MPI 5.0: some microseconds each), and MPICH 4.2
/// leaves some out.
class PieceMessages
{
public:
  /// What is under way goes there, which must live longer than this.
  explicit PieceMessages(Transfers& underWay)
    : UnderWay(underWay)
  {
  }

  /// Sends small pieces, and has `one` move each that is none. They are in the host's memory when
  /// it answers a fence (Transfers::Fence). True when something was sent.
  bool Put(HostIndex host, std::span<const PutPiece> pieces,
    const std::function<void(const PutPiece&)>& one);

  /// Asks for small pieces, and has `one` fetch each that is none. They are there after
  /// Transfers::Wait.
  void Get(HostIndex host, std::span<const GetPiece> pieces,
    const std::function<void(const GetPiece&)>& one);

private:
  void Ask(HostIndex host, std::span<const GetPiece> pieces, std::uint64_t size);

  Transfers& UnderWay;
};

}
