// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

/// How the pieces of a transfer get to the hosts that do not follow one another in the file. What
/// decides is pure.
namespace dsm
{

/// Where the ranks map the hosts' memory, the first three are the same: each piece is copied.
enum class TransferMode
{
  Automatic,
  Independent, ///< each piece is an operation of its own
  Datatype,    ///< a rank's pieces for one host are as few operations as the transport can
  Collective   ///< ranks exchange pieces first: who is responsible for a part of the file moves it
};

/// "auto", "independent", "datatype", "collective".
const char* TransferModeText(TransferMode mode);

/// The inverse. Throws Error(Usage) that names `what`.
TransferMode TransferModeFromText(const std::string& text, const std::string& what);

/// DSM_TRANSFER, else Automatic. Throws Error(Usage).
TransferMode TransferModeFromEnvironment();

/// What is known of one rank's transfer when its way is chosen: its first pieces, in the order in
/// which HDF5 has them, and so all where they are few.
struct FirstPieces
{
  static constexpr std::size_t Most = 256;

  std::uint64_t Count = 0;
  std::uint64_t Bytes = 0;
  std::uint64_t Begin = std::numeric_limits<std::uint64_t>::max(); ///< address of the first byte
  std::uint64_t End = 0;                                           ///< behind the last

  void Add(FileOffset address, std::uint64_t size);
};

/// The same of all ranks.
struct AllFirstPieces
{
  FirstPieces Together;
  std::uint64_t Spans = 0; ///< sum of what lies between each rank's Begin and End
};

/// Chooses where ranks do not wait for each other: Independent or Datatype. `mapped`: the hosts'
/// memory is.
TransferMode ChooseAlone(const FirstPieces& first, bool mapped);

/// Chooses for ranks that are all in the transfer and reach the hosts over a network. An exchange
/// moves each byte twice and has all wait for all; it is worth it where pieces are many and small,
/// and those of one rank lie between those of others.
TransferMode ChooseTogether(const AllFirstPieces& all);

/// What a transfer did, for whoever looks on.
struct TransferUsed
{
  TransferMode Mode = TransferMode::Independent;
  std::uint64_t Pieces = 0;
  std::uint64_t Bytes = 0;
};

}
