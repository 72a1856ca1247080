// SPDX-License-Identifier: BSD-3-Clause
// dsm-perf: h5perf's measurement with our driver beside POSIX, MPI-IO and parallel HDF5.
#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/LaunchedJob.h"
#include "Mpi/Communicator.h"
#include "Tools/CommandLine.h"
#include "Tools/Perf/PerfMeasurement.h"
#include "Tools/Perf/PerfReport.h"
#include "Tools/Perf/PerfSettings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include <mpi.h>

namespace
{
using dsm::perf::PerfSettings;

void AddSize(CLI::App& app, const std::string& names, std::uint64_t& size, const std::string& text)
{
  app
    .add_option_function<std::string>(
      names, [&size, names](const std::string& given)
      { size = dsm::environment::ParseBytes(given, names); }, text)
    ->type_name("SIZE");
}

void Describe(CLI::App& app, PerfSettings& settings)
{
  app.add_option("-A,--api", settings.Apis, "what to measure, of posix, mpiio, phdf5, dsm")
    ->delimiter(',')
    ->check(CLI::IsMember({ "posix", "mpiio", "phdf5", "dsm" }))
    ->capture_default_str();
  AddSize(app, "-e,--num-bytes", settings.BytesPerProcess,
    "bytes of each process in each dataset, as 512 or 64KiB [16MiB]");
  AddSize(app, "-x,--min-xfer-size", settings.SmallestTransfer,
    "bytes of a call, at first; then twice as many [half of -e]");
  AddSize(app, "-X,--max-xfer-size", settings.LargestTransfer, "and in the end [-e]");
  app.add_flag("-I,--interleaved", settings.Interleaved,
    "processes take turns block by block; else each has a part of a dataset");
  AddSize(app, "-B,--block-size", settings.Block, "of such a block [half of a transfer]");
  app.add_flag("-C,--collective", settings.Collective, "collective transfers");
  app.add_flag("-c,--chunk", settings.Chunked, "chunked datasets");
  app.add_option("-d,--num-dsets", settings.Datasets, "datasets in a file")
    ->check(CLI::PositiveNumber)
    ->capture_default_str();
  app.add_option("-F,--num-files", settings.Files, "files, one after the other")
    ->check(CLI::PositiveNumber)
    ->capture_default_str();
  app.add_option("-i,--num-iterations", settings.Iterations, "how often")
    ->check(CLI::PositiveNumber)
    ->capture_default_str();
  app.add_option("-p,--min-num-processes", settings.LeastProcesses, "the fewest processes")
    ->check(CLI::PositiveNumber)
    ->capture_default_str();
  app
    .add_option("-P,--max-num-processes", settings.MostProcesses,
      "the most processes; then half as many [all]")
    ->check(CLI::PositiveNumber);
  app.add_flag("-w,--write-only", settings.WriteOnly, "do not read back");
  app.add_option("-o,--output", settings.Csv, "FILE: also as comma separated values");
  app
    .add_option(
      "--folder", settings.Folder, "where the files are; those of dsm have their names there")
    ->check(CLI::ExistingDirectory)
    ->capture_default_str();
  app.add_option("--contact", settings.Contact, "the server's contact file (DSM_CONTACT)");
}

void Measure(const PerfSettings& settings, const dsm::Communicator& world)
{
  settings.Check(world.Size());
  std::optional<dsm::perf::PerfReport> report;
  if (world.Rank() == 0)
  {
    report.emplace(settings);
  }
  for (const int processes : settings.Processes(world.Size()))
  {
    const bool takesPart = world.Rank() < processes;
    MPI_Comm part = MPI_COMM_NULL;
    dsm::CheckMpi(
      MPI_Comm_split(world.Handle(), takesPart ? 0 : MPI_UNDEFINED, 0, &part), "MPI_Comm_split");
    if (takesPart)
    {
      dsm::Communicator team = dsm::Communicator::Adopt(part);
      dsm::perf::PerfMeasurement measurement(settings, team);
      if (report)
      {
        report->Begin(processes);
      }
      for (const std::uint64_t transfer : settings.Transfers())
      {
        for (const std::string& api : settings.Apis)
        {
          const auto result = measurement.Run(api, transfer);
          if (report)
          {
            report->Add(result);
          }
        }
      }
      team.Free();
    }
    world.Barrier();
  }
}

// Returns the program's status if it ends here. That needs no MPI, so --help and --version work
// without a launcher, and rank 0 prints for all.
std::optional<int> ReadCommandLine(int argc, char** argv, PerfSettings& settings)
{
  settings.Contact = dsm::environment::Text("DSM_CONTACT").value_or("");
  dsm::CommandLine app("dsm-perf",
    "Measures how fast files are written and read back by POSIX calls, MPI-IO, parallel HDF5, and "
    "HDF5 into the memory of a server, side by side: h5perf's measurement, with its options.\n"
    "Example: dsm-serve --contact run.dsm &  mpiexec -n 4 dsm-perf --contact run.dsm -e 64MiB -x "
    "1MiB");
  Describe(app, settings);
  try
  {
    app.parse(argc, argv);
  }
  catch (const CLI::ParseError& error)
  {
    return dsm::RankOfThisProcess() == 0 ? app.exit(error) : error.get_exit_code();
  }
  return std::nullopt;
}

void Run(const PerfSettings& settings, const dsm::Communicator& world)
{
  const bool memory =
    std::find(settings.Apis.begin(), settings.Apis.end(), "dsm") != settings.Apis.end();
  if (memory && settings.Contact.empty())
  {
    throw dsm::Error(dsm::Fault::Usage,
      "nothing says which server hosts the memory: give --contact, or leave dsm out of -A");
  }
  // What is measured is the memory: no file is to go to disk instead.
  setenv("DSM_WITHOUT_SERVER", "fail", 1);
  setenv("DSM_MATCH", "*", 1);
  Measure(settings, world);
}

}

int main(int argc, char** argv)
{
  PerfSettings settings;
  if (const auto ended = ReadCommandLine(argc, argv, settings))
  {
    return *ended;
  }
  MPI_Init(&argc, &argv);
  int status = 1;
  {
    dsm::Communicator world = dsm::Communicator::Duplicate(MPI_COMM_WORLD);
    try
    {
      Run(settings, world);
      status = 0;
    }
    catch (const dsm::Error& error)
    {
      const bool isOfAll = error.GetFault() == dsm::Fault::Usage;
      if (!isOfAll || world.Rank() == 0)
      {
        std::fprintf(stderr, "dsm-perf: %s\n", error.what());
      }
      if (!isOfAll)
      {
        MPI_Abort(MPI_COMM_WORLD, 1); // the others may wait for this one
      }
    }
    catch (const std::exception& error)
    {
      std::fprintf(stderr, "dsm-perf: %s\n", error.what());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    world.Free();
  }
  MPI_Finalize();
  return status;
}
