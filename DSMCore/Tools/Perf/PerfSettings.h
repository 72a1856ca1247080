// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dsm::perf
{

/// What is measured: h5perf's settings, under h5perf's letters. Sizes are bytes.
struct PerfSettings
{
  std::vector<std::string> Apis{ "posix", "mpiio", "phdf5", "dsm" };
  std::uint64_t BytesPerProcess = UINT64_C(16) << 20; ///< of each process in each dataset
  std::uint64_t SmallestTransfer = 0;                 ///< 0: half of BytesPerProcess
  std::uint64_t LargestTransfer = 0;                  ///< 0: BytesPerProcess
  std::uint64_t Block =
    0; ///< that processes take turns by, with Interleaved; 0: half of a transfer
  int Datasets = 1;
  int Files = 1;
  int Iterations = 3;
  int LeastProcesses = 1;
  int MostProcesses = 0; ///< 0: all
  bool Interleaved = false;
  bool Collective = false;
  bool Chunked = false; ///< a chunk is what a process has of a dataset, or with Interleaved a block
  bool WriteOnly = false;
  std::string Contact; ///< of the server that hosts the memory; empty: as DSM_CONTACT says
  std::string Folder = ".";
  std::string Csv; ///< also written there

  /// The sizes of a transfer, each twice the one before.
  std::vector<std::uint64_t> Transfers() const;

  /// How many processes take part, each half of the one before, of `all`.
  std::vector<int> Processes(int all) const;

  std::uint64_t BlockOf(std::uint64_t transfer) const
  {
    return this->Block > 0 ? this->Block : transfer / 2;
  }

  /// Throws Error(Usage) when they contradict each other, with `all` processes.
  void Check(int all) const;
};

}
