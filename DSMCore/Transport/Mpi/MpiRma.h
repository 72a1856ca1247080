// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Base/Watchdog.h"
#include "Transport/Mpi/PieceMessages.h"
#include "Transport/Mpi/Transfers.h"
#include "Transport/Transport.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace dsm
{

/// One-sided MPI with passive target: MPI_Rput, MPI_Rget and MPI_Put on the link's window.
/// Whether bytes move while the host's program does something else depends on the MPI library; the
/// host's MpiService makes progress for those that need it.
///
/// MPI_Win_flush waits without a limit, and nothing else in MPI tells that bytes have arrived. So
/// it comes last: large transfers are requests that can be given up, and so is a get of one byte
/// from every host that was written to, which needs of that host what the flush will need. What
/// then is left for the flush are small bytes to hosts that were there a moment ago, watched
/// by a watchdog. A flush comes also when many small puts have been made: a host that has them all
/// to do first answers late (345,000 of them took Open MPI longer than DSM_TIMEOUT).
class MpiRma final : public Transport
{
public:
  MpiRma(const std::shared_ptr<MpiLink>& link, const WaitPolicy& waitPolicy);

  std::string Name() const override { return "mpi-rma"; }
  void Put(HostIndex host, std::uint64_t offset, const void* source, std::uint64_t size) override;
  void Get(HostIndex host, std::uint64_t offset, void* destination, std::uint64_t size) override;
  void PutPieces(HostIndex host, std::span<const PutPiece> pieces) override;
  void GetPieces(HostIndex host, std::span<const GetPiece> pieces) override;
  void Flush() override;
  const std::byte* Direct(HostIndex, std::uint64_t) const override { return nullptr; }

private:
  void Wake(HostIndex host);

  struct Host
  {
    bool Written = false;         ///< since the last flush
    bool Listed = false;          ///< the same, by a list of pieces
    Clock::time_point LastWake{}; ///< when it was told that transfers begin
  };

  Transfers UnderWay;
  PieceMessages Pieces;
  std::vector<Host> Hosts;
  std::uint64_t SmallPuts = 0;  ///< since the last flush
  std::uint64_t SmallBytes = 0; ///< theirs
  Watchdog FlushWatchdog;
};

}
