// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/PieceExchange.h"

#include <span>

namespace dsm
{

/// A collective read in two phases: see PieceExchange. What several ranks read is fetched once, and
/// nothing that nobody reads.
class ReadExchange final : public PieceExchange
{
public:
  ReadExchange(const Communicator& ranks, MemoryFile& file);

  /// The bytes are there after Finish.
  void Add(std::span<const GetPiece> pieces);

  /// Collective: takes part in what the others still add. What went wrong on any rank, `failure`
  /// included, all throw.
  void Finish(std::exception_ptr failure = {});

private:
  struct Asked;

  bool Round(bool more);
  void Answer(const Asked& asked, std::byte* answer);
  void TakeAnswers(const std::byte* answers);

  Scratch Rows;
  Scratch Fetched;
  Scratch Answers; ///< of this rank to the others
  Scratch Replies; ///< and the others' to it
};

}
