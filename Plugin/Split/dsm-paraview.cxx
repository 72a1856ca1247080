// SPDX-License-Identifier: BSD-3-Clause
// dsm-paraview: starts a program of ParaView so that it finds the plugin and its Python package;
// with
// --split on a communicator of its own, in an MPI job that it shares with a simulation. Sets the
// environment and becomes the program.
#include "Tools/BecomeProgram.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace
{
constexpr const char* Self = "dsm-paraview";

// Puts a value before what a list of names separated by ':' holds already.
void Prepend(const char* name, const std::string& value)
{
  const char* const before = std::getenv(name);
  dsm::SetVariable(name, before && *before ? value + ":" + before : value);
}

void Prepare(bool split)
{
  const auto plugin = dsm::FindBeside(DSM_PLUGIN, Self);
  Prepend("PYTHONPATH", plugin.string());
  dsm::SetUnlessThere("PV_PLUGIN_CONFIG_FILE", (plugin / "plugins.xml").string());
  // UCX catches a crash and then hangs in its handler.
  dsm::SetUnlessThere("UCX_ERROR_SIGNALS", "");
  if (split)
  {
    Prepend("LD_PRELOAD", dsm::FindBeside(DSM_SPLIT, Self).string());
  }
}

int Run(int argc, char** argv)
{
  bool split = false;
  CLI::App app("Runs a program of ParaView with the plugin ParaViewDSM and its Python package.\n"
               "Example: mpiexec -n 2 dsm-paraview pvbatch script.py\n"
               "One job: mpiexec -n 2 dsm-paraview --split pvbatch script.py : -n 3 dsm-run "
               "--wait 60 simulation",
    "dsm-paraview");
  app.add_flag("--split", split,
    "ParaView shares its MPI job with a simulation: give it a communicator of its own");
  // The first word that is no option of ours begins the command; all behind it is the command's.
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
  return dsm::BecomeProgram(command, Self, "Give its path, or add ParaView's bin to PATH");
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
