// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Environment.h"
#include "Peer/Connection.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// The parts that dsm-archive's two programs share: the command line, and how they speak to a user
/// and to a server.
namespace archive
{

struct Options
{
  std::string Contact = dsm::environment::Text("DSM_CONTACT").value_or("run.dsm");
  std::string File = "*";
  bool Next = false;
  std::uint64_t Number = 0;
  std::string Each;
  std::string BeforeEviction;
  std::uint64_t End = 0;
  std::string To;
  std::string Form = "single";
  std::vector<std::string> Filters;
  std::string Minimum = "64 KiB";
  double Wait = 1e8;
  bool List = false;
  std::vector<std::string> Restore;
  std::string As;
  std::string Virtual;
  std::vector<std::string> Files;
};

/// Declares all options.
void ReadCommandLine(CLI::App& app, Options& options);

/// Returns whether HDF5 has to read or write files for that: then the program with HDF5 does it.
bool NeedsHdf5(const Options& options);

/// Seconds between two lines that say how far a file is.
constexpr double TellInterval = 2;

/// Prints a line on standard output.
void Say(const std::string& line);

/// Tells a user who waits how much of a file is done, on standard error.
void Tell(const std::string& file, std::uint64_t done, std::uint64_t size);

/// Prints what went wrong on standard error.
void SayError(const std::exception& error);

/// Connects to the server. Throws as Connection::Open.
std::shared_ptr<dsm::Connection> Connect(const Options& options, const char* role);

/// Returns into how many parts a file is divided whose form is "virtual 4" (or "virtual": one for
/// each processor here); none where it is of another form. Throws Error(Usage).
std::optional<std::uint64_t> PartsOf(const std::string& form);

/// Runs a program of the tool: what `work` throws is said on standard error, and the status is 1.
template <typename Work>
int Run(const Work& work)
{
  try
  {
    return work();
  }
  catch (const std::exception& error)
  {
    SayError(error);
    return 1;
  }
}

}
