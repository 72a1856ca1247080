// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Tools/Perf/PerfSettings.h"

#include <cstdint>

namespace dsm::perf
{

/// Bytes of a dataset that one call moves: `Count` blocks of `Size` bytes, whose beginnings are
/// `Stride` bytes apart. Consecutive in memory.
struct Blocks
{
  std::uint64_t Begin = 0; ///< from the dataset's beginning
  std::uint64_t Size = 0;
  std::uint64_t Stride = 0;
  std::uint64_t Count = 1;

  std::uint64_t Bytes() const { return this->Size * this->Count; }
  std::uint64_t BeginOf(std::uint64_t block) const { return this->Begin + block * this->Stride; }
};

/// Which bytes of a dataset a process moves, one call after the other, as h5perf has it in one
/// dimension:
///
///     contiguous    0000 0000 1111 1111     each process has a part of the dataset
///     interleaved   00 11 00 11 00 11 ..    they take turns block by block
class PerfPattern
{
public:
  PerfPattern(const PerfSettings& settings, std::uint64_t transfer, int processes, int process)
    : BytesPerProcess(settings.BytesPerProcess)
    , Transfer(transfer)
    , Block(settings.Interleaved ? settings.BlockOf(transfer) : transfer)
    , Interleaved(settings.Interleaved)
    , Processes(static_cast<std::uint64_t>(processes))
    , Process(static_cast<std::uint64_t>(process))
  {
  }

  std::uint64_t DatasetSize() const { return this->BytesPerProcess * this->Processes; }
  std::uint64_t ChunkSize() const
  {
    return this->Interleaved ? this->Block : this->BytesPerProcess;
  }
  std::uint64_t Calls() const { return this->BytesPerProcess / this->Transfer; }
  std::uint64_t TransferSize() const { return this->Transfer; }

  Blocks At(std::uint64_t call) const
  {
    if (!this->Interleaved)
    {
      return { this->Process * this->BytesPerProcess + call * this->Transfer, this->Transfer,
        this->Transfer, 1 };
    }
    const std::uint64_t blocks = this->Transfer / this->Block;
    return { (call * blocks * this->Processes + this->Process) * this->Block, this->Block,
      this->Block * this->Processes, blocks };
  }

private:
  std::uint64_t BytesPerProcess;
  std::uint64_t Transfer;
  std::uint64_t Block;
  bool Interleaved;
  std::uint64_t Processes;
  std::uint64_t Process;
};

}
