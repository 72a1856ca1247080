// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"
#include "Tools/Perf/AccessMethod.h"
#include "Tools/Perf/PerfSettings.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dsm::perf
{

/// Rates of the iterations, in 10^6 bytes a second.
struct Rates
{
  double Least = 0;
  double Mean = 0;
  double Most = 0;
};

/// What came out for an api, so many processes, and a size of transfers.
struct PerfResult
{
  std::string Api;
  int Processes = 0;
  std::uint64_t Transfer = 0; ///< bytes
  Rates Write;                ///< of the calls that move bytes
  Rates WriteFile;            ///< of the whole file, with create or open, and close
  Rates Read;
  Rates ReadFile;
};

/// Writes files and reads them back, and takes the time of the slowest process. What is read is
/// compared with what was written.
class PerfMeasurement
{
public:
  /// `team` outlives it.
  PerfMeasurement(const PerfSettings& settings, const Communicator& team);

  /// Collective. Throws what the methods throw, and Error(System) where other bytes came back.
  PerfResult Run(const std::string& api, std::uint64_t transfer);

private:
  struct Spent
  {
    double Moving = 0; ///< seconds of the slowest process
    double File = 0;
  };
  Spent Pass(
    AccessMethod& method, const PerfPattern& pattern, const std::string& file, bool writing);
  void Fill(const Blocks& blocks, int dataset);
  void Compare(const Blocks& blocks, const std::string& file, int dataset);

  const PerfSettings& Settings;
  const Communicator& Team;
  std::vector<std::byte> Written; ///< what one call moves
  std::vector<std::byte> Got;
};

}
