// SPDX-License-Identifier: BSD-3-Clause
// dsm-paraview: starts a program of ParaView so that it finds the plugin and its Python package;
// with
// --split on a communicator of its own, in an MPI job that it shares with a simulation. Sets the
// environment and becomes the program.
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include <unistd.h>

namespace
{

void Set(const char* name, const std::string& value)
{
  if (setenv(name, value.c_str(), 1) != 0)
  {
    throw std::runtime_error(
      std::string("cannot set ") + name + " in the environment: " + std::strerror(errno));
  }
}

// Puts a value before what a list of names separated by ':' holds already.
void Prepend(const char* name, const std::string& value)
{
  const char* const before = std::getenv(name);
  Set(name, before && *before ? value + ":" + before : value);
}

void SetUnlessThere(const char* name, const std::string& value)
{
  if (!std::getenv(name))
  {
    Set(name, value);
  }
}

std::filesystem::path Beside(const char* path)
{
  auto found =
    (std::filesystem::read_symlink("/proc/self/exe").parent_path() / path).lexically_normal();
  if (!std::filesystem::exists(found))
  {
    throw std::runtime_error(found.string() +
      " is missing: dsm-paraview finds it by its own place, so install both together");
  }
  return found;
}

void Prepare(bool split)
{
  const auto plugin = Beside(DSM_PLUGIN);
  Prepend("PYTHONPATH", plugin.string());
  SetUnlessThere("PV_PLUGIN_CONFIG_FILE", (plugin / "plugins.xml").string());
  // UCX catches a crash and then hangs in its handler.
  SetUnlessThere("UCX_ERROR_SIGNALS", "");
  if (split)
  {
    Prepend("LD_PRELOAD", Beside(DSM_SPLIT).string());
  }
}

int Become(std::vector<std::string>& command)
{
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& word : command)
  {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  const int error = errno;
  std::fprintf(stderr,
    "dsm-paraview: cannot start %s: %s. Give its path, or add ParaView's bin to PATH\n",
    command.front().c_str(), std::strerror(error));
  return error == ENOENT ? 127 : 126;
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
  return Become(command);
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
