// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Domain.h"

#include <cstdint>
#include <optional>
#include <string>

/// What the user may choose; gray_scott --help shows the defaults.
struct Options
{
  Index3 Size{ 64, 64, 64 };
  int Steps = 1500;
  int Every = 50;
  double Feed = 0.03;
  double Kill = 0.062;
  double Du = 0.12;
  double Dv = 0.06;
  double TimeStep = 1.0;
  double Noise = 0.01;
  std::uint64_t Seed = 1;
  std::string Output = "output";
  std::string Restart; ///< a file to go on from; empty: from the beginning
};

/// Reads the command line. Returns the status to end with when the program is not to run: after
/// --help, or after a mistake, which rank 0 reports.
std::optional<int> ParseOptions(int argc, char** argv, int rank, Options& options);
