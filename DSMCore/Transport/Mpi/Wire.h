// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// What travels over a link's communicator from a rank to a host, and back.
namespace dsm::wire
{

/// Messages of one kind have one tag, so that MPI keeps them in order and apart.
constexpr int OperationTag = 1; ///< an Operation, with the bytes of a small put behind it
constexpr int PutTag = 2;       ///< the bytes of a large put, in pieces
constexpr int GetTag = 3;       ///< the bytes a get asked for, in pieces
constexpr int FenceTag = 4;     ///< a fence's number, sent back

enum class Kind : std::uint64_t
{
  Put,       ///< bytes follow, in this message or under PutTag
  Get,       ///< send bytes under GetTag
  Fence,     ///< answer when all puts before it are in memory
  Wake,      ///< one-sided transfers begin: let MPI make progress without a pause for a while
  PutPieces, ///< as many Places as Number says follow, and their bytes one behind the other
  GetPieces  ///< the same without bytes: send them one behind the other, under GetTag
};

struct Operation
{
  Kind What = Kind::Wake;
  std::uint64_t Offset = 0;
  std::uint64_t Size = 0;   ///< of pieces: together
  std::uint64_t Number = 0; ///< of a fence; of pieces, how many
};

/// Where a piece is in the host's segment.
struct Place
{
  std::uint64_t Offset = 0;
  std::uint64_t Size = 0;
};

/// A put of at most this many bytes travels in one message with its operation.
constexpr std::uint64_t SmallPut = 4096;
/// So much behind an operation: pieces, with their places.
constexpr std::uint64_t LargestList = UINT64_C(256) << 10;
constexpr std::uint64_t LargestOperation = sizeof(Operation) + LargestList;

}
