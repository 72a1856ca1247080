// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bench
{

/// One combination to measure.
struct Cell
{
  int Hosts = 1;
  int Writers = 1;
  int Datasets = 1;
  std::uint64_t Size = 0; ///< bytes asked for, all datasets of a file together
  std::string Strategy;
  std::uint64_t BlockSize = 0; ///< 0: automatic, or the strategy has no blocks
  std::string Transport;
  bool Collective = true;
};

/// Seconds that each round took on the slowest rank.
struct Rounds
{
  std::vector<double> Seconds;

  double Median() const { return MedianOf(this->Seconds); }

  /// How fast this was, as a multiple of `other`: the median over the rounds of the ratio within
  /// one round. Both of a round ran one after the other, so a machine whose memory is faster in one
  /// second than in the next changes both. 0 where `other` was not measured.
  double SpeedOver(const Rounds& other) const
  {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(this->Seconds.size(), other.Seconds.size()); ++i)
    {
      ratios.push_back(other.Seconds[i] / this->Seconds[i]);
    }
    return MedianOf(std::move(ratios));
  }

private:
  static double MedianOf(std::vector<double> values)
  {
    std::sort(values.begin(), values.end());
    const auto count = values.size();
    return count == 0 ? 0 : (values[(count - 1) / 2] + values[count / 2]) / 2;
  }
};

/// What was measured in one direction.
struct Measurement
{
  Rounds Driver; ///< H5Fcreate or H5Fopen, all transfers, H5Fclose
  Rounds Memcpy; ///< the same bytes copied to or from memory that the node shares; may be empty
  Rounds Tmpfs;  ///< parallel HDF5 with its MPI-IO driver to a file on tmpfs; may be empty
  /// Bytes that the hosts' network interfaces received (writing) or sent (reading) per file.
  double NetworkBytes = 0;
};

struct Outcome
{
  Cell What;
  std::uint64_t Bytes = 0;       ///< of all datasets of one file, as written
  std::uint64_t BytesStored = 0; ///< that the hosts know to have got for it, metadata included
  int HostNodes = 1;
  int WriterNodes = 1;
  double LinkBytesPerSecond = 0; ///< that the links between them carry; 0: unknown
  Measurement Write;
  Measurement Read;
  std::string Trouble; ///< why nothing was measured; else empty
};

}
