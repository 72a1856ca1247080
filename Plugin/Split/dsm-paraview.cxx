// SPDX-License-Identifier: BSD-3-Clause
// dsm-paraview: starts a program of ParaView that finds the plugin and its Python package; with
// --split in an MPI job that it shares with a simulation, with a communicator of its own. Sets the
// environment and then executes the program.
#include "Tools/CommandLine.h"
#include "Tools/ExecProgram.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace
{
constexpr const char* Self = "dsm-paraview";

// Adds a value at the beginning of a list that is separated by ':'.
void Prepend(const char* name, const std::string& value)
{
  const char* const before = std::getenv(name);
  dsm::SetVariable(name, before && *before ? value + ":" + before : value);
}

void Prepare(bool split)
{
  const auto plugin = dsm::FindRelative(DSM_PLUGIN, Self);
  Prepend("PYTHONPATH", plugin.string());
  dsm::SetDefault("PV_PLUGIN_CONFIG_FILE", (plugin / "plugins.xml").string());
  // ParaView asks MPI for no threads. Transports over MPI need one that calls it while ParaView
  // waits.
  dsm::SetDefault("OMPI_MPI_THREAD_LEVEL", "3");
  dsm::SetDefault("MPIR_CVAR_DEFAULT_THREAD_LEVEL", "MPI_THREAD_MULTIPLE");
  // Else UCX's signal handler hangs after a crash.
  dsm::SetDefault("UCX_ERROR_SIGNALS", "");
  if (split)
  {
    Prepend("LD_PRELOAD", dsm::FindRelative(DSM_SPLIT, Self).string());
  }
}

int Run(int argc, char** argv)
{
  bool split = false;
  dsm::CommandLine app(Self,
    "Runs a program of ParaView with the plugin ParaViewDSM and its Python package.\n"
    "Example: mpiexec -n 2 dsm-paraview pvbatch script.py\n"
    "Example in one job: mpiexec -n 2 dsm-paraview --split pvbatch script.py : -n 3 dsm-run --wait "
    "60 "
    "simulation");
  app.add_flag("--split", split,
    "ParaView shares its MPI job with a simulation: give it a communicator of its own");
  // The command begins with the first word that is no option of ours.
  app.prefix_command();
  app.usage("Usage: dsm-paraview [OPTIONS] COMMAND…");
  CLI11_PARSE(app, argc, argv);
  auto command = app.remaining();
  if (command.empty())
  {
    std::fprintf(
      stderr, "dsm-paraview: name the program to start, such as pvbatch, with its arguments\n");
    return 2;
  }
  Prepare(split);
  return dsm::ExecProgram(command, Self, "Give its path, or add ParaView's bin to PATH");
}

}

int main(int argc, char** argv)
{
  try
  {
    return Run(argc, argv);
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "dsm-paraview: %s\n", error.what());
    return 1;
  }
}
