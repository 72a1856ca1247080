// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/PieceExchange.h"

#include <span>

namespace dsm
{

/// A collective write in two phases: see PieceExchange. Of bytes that several pieces have, the
/// highest address's piece is written last, which MPI leaves open.
class WriteExchange final : public PieceExchange
{
public:
  WriteExchange(const Communicator& ranks, MemoryFile& file);

  /// The bytes are taken at once.
  void Add(std::span<const PutPiece> pieces);

  /// Collective: takes part in what the others still add. Then all bytes are complete at the hosts,
  /// as MemoryFile::Complete says. Throws `failure`, or what else went wrong on this rank.
  void Finish(std::exception_ptr failure = {});

private:
  bool Round(bool more);
  void KeepBytes();
  void WriteReceived(const Announced& from, const std::byte* received);

  std::uint64_t SlotSize; ///< of each rank's part of Sent
  Scratch Sent;
  Scratch Left; ///< Sent of this round, where some of it is kept for the next
  Scratch Received;
  Scratch Joined; ///< received pieces, side by side
  bool IsWriting = false;
};

}
