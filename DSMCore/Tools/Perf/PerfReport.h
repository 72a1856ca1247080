// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Tools/Perf/PerfMeasurement.h"
#include "Tools/Perf/PerfSettings.h"

#include <cstdio>
#include <memory>
#include <string>

namespace dsm::perf
{

/// Prints what came out as a table, line by line as it comes, and as a CSV file where one is asked
/// for. On one process alone.
class PerfReport
{
public:
  /// Throws Error(System) when the CSV file cannot be written.
  explicit PerfReport(const PerfSettings& settings);

  /// The heading for so many processes.
  void Begin(int processes);
  void Add(const PerfResult& result);

private:
  const PerfSettings& Settings;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> Csv;
};

}
