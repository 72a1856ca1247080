// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/MemoryFile.h"
#include "Driver/TransferMode.h"
#include "Memory/DeviceBuffers.h"

#include <hdf5.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace dsm
{

class ReadExchange;
class WriteExchange;

/// The pieces of one call of HDF5's, on their way between a file and memory: Piece is PutPiece or
/// GetPiece. The first of them show which way that is (TransferMode), which is chosen when there
/// are that many or all have come. None waits for more than a few thousand others.
template <typename Piece>
class PieceTransfer
{
public:
  using Pointer = std::conditional_t<std::is_same_v<Piece, PutPiece>, const void*, void*>;

  /// `transferList`: HDF5's, which may say the way (H5Pset_dxpl_dsm_transfer). `collective`: all
  /// ranks of the file make one of these, add what they have, perhaps nothing, and finish.
  PieceTransfer(OpenMemoryFile& file, hid_t transferList, bool collective);
  ~PieceTransfer();
  PieceTransfer(const PieceTransfer&) = delete;
  PieceTransfer& operator=(const PieceTransfer&) = delete;

  /// A piece that is consecutive in the file and in memory.
  void Add(FileOffset address, Pointer memory, std::uint64_t size)
  {
    if (this->Waiting == FirstPieces::Most)
    {
      this->MoveWaiting();
    }
    using Byte = std::conditional_t<std::is_same_v<Piece, PutPiece>, const std::byte, std::byte>;
    this->Some[this->Waiting++] = { address, static_cast<Byte*>(memory), size };
  }

  /// All pieces are with the file, and complete after its Complete. With `failure`, why this rank
  /// adds no more: nothing of it is moved that has not been, the others are not kept waiting, and
  /// it throws.
  void Finish(std::exception_ptr failure = {});

private:
  using Exchange = std::conditional_t<std::is_same_v<Piece, PutPiece>, WriteExchange, ReadExchange>;

  void Choose();
  void MoveWaiting();
  void Pass(std::span<const Piece> pieces);
  bool MovesOfDevice(std::span<const Piece> pieces) const;
  void Move(std::span<const Piece> pieces);
  void MoveGathered();

  OpenMemoryFile& File;
  hid_t TransferList;
  DeviceBuffers Devices; ///< what is recognised only here
  bool Together;         ///< all ranks are in this transfer
  TransferUsed Used;
  bool Chosen = false;
  std::unique_ptr<Exchange> Others; ///< where the mode is Collective
  std::vector<Piece> Gathered;      ///< where it is Datatype: so that operations have many pieces
  std::size_t Waiting = 0;
  std::array<Piece, FirstPieces::Most> Some; ///< the first `Waiting`; the rest has no value yet
};

/// Moves what walk(transfer) adds to it. Whatever happens to this rank, the others are not kept
/// waiting.
template <typename Piece, typename Walk>
void MovePieces(OpenMemoryFile& file, hid_t transferList, bool collective, const Walk& walk)
{
  PieceTransfer<Piece> transfer(file, transferList, collective);
  std::exception_ptr failure;
  try
  {
    walk(transfer);
  }
  catch (...)
  {
    failure = std::current_exception();
  }
  transfer.Finish(failure);
}

}
