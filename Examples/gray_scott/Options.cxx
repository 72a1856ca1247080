// SPDX-License-Identifier: BSD-3-Clause
#include "Options.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <sstream>
#include <vector>

std::optional<int> ParseOptions(int argc, char** argv, int rank, Options& options)
{
  CLI::App app("Gray-Scott reaction-diffusion in a periodic box. Writes one VTKHDF file per output "
               "step.\nRun it with mpiexec on as many ranks as you like: the result is the same, "
               "bit for bit.",
    "gray_scott");
  app.option_defaults()->always_capture_default();

  std::vector<int> size{ options.Size[0] };
  app.add_option("--size", size, "Points of the grid: nx ny nz, or one number for a cube")
    ->expected(1, 3)
    ->check(CLI::Range(1, 1 << 20))
    ->type_name("N [N N]");
  app.add_option("--steps", options.Steps, "Time steps to make")->check(CLI::NonNegativeNumber);
  app.add_option("--every", options.Every, "Time steps between outputs")
    ->check(CLI::PositiveNumber);
  app.add_option("--feed", options.Feed, "F, the rate at which u is fed")
    ->check(CLI::NonNegativeNumber);
  app.add_option("--kill", options.Kill, "k, the rate at which v is removed")
    ->check(CLI::NonNegativeNumber);
  app.add_option("--Du", options.Du, "Diffusion of u")->check(CLI::NonNegativeNumber);
  app.add_option("--Dv", options.Dv, "Diffusion of v")->check(CLI::NonNegativeNumber);
  app.add_option("--dt", options.TimeStep, "Length of a time step")->check(CLI::PositiveNumber);
  app.add_option("--noise", options.Noise, "Amplitude of the noise in the initial state")
    ->check(CLI::NonNegativeNumber);
  app.add_option("--seed", options.Seed, "Chooses the noise and where the reaction begins");
  app.add_option("--output", options.Output, "Folder for the files gray_scott.<step>.vtkhdf");

  app.add_option("--restart", options.Restart,
    "A file that an earlier run has written: goes on from there, on any number of ranks, with the "
    "size and parameters given here");

  try
  {
    app.parse(argc, argv);
    if (size.size() == 2)
    {
      throw CLI::ValidationError("--size", "takes one number or three");
    }
    if (options.TimeStep * std::max(options.Du, options.Dv) > 1.0 / 6)
    {
      throw CLI::ValidationError(
        "--dt", "times --Du or --Dv is above 1/6: diffusion would be unstable");
    }
  }
  catch (const CLI::ParseError& error)
  {
    std::ostringstream out;
    std::ostringstream err;
    const int status = app.exit(error, out, err);
    if (rank == 0)
    {
      std::cout << out.str();
      std::cerr << err.str();
    }
    return status;
  }
  options.Size = { size.front(), size[size.size() / 2], size.back() };
  return std::nullopt;
}
