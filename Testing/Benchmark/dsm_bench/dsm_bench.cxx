// SPDX-License-Identifier: BSD-3-Clause
// dsm_bench: how fast files go into hosts' memory and come back, over every combination of what can
// be chosen. One MPI job: the first ranks host, the others write. run_benchmark.py starts it, on
// this machine or on a cluster of emulated ones.
#include "Hosting.h"
#include "Measure.h"
#include "Puts.h"
#include "Recommend.h"
#include "Report.h"
#include "Settings.h"
#include "World.h"

#include "Base/Environment.h"
#include "Server/ServerDefaults.h"
#include "Tools/CommandLine.h"
#include "Transport/ChooseTransport.h"
#include "Transport/TransportKind.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <cstdio>

namespace
{

// Prints the recommendation and writes it; false when nothing could be recommended.
bool Advise(const std::vector<bench::Outcome>& outcomes, const bench::Settings& settings)
{
  const auto found = bench::Recommend(outcomes);
  if (!found)
  {
    std::fprintf(stderr,
      "dsm_bench: no choice was measured in every situation: nothing to "
      "recommend\n");
    return false;
  }
  dsm::ServerDefaults defaults;
  defaults.Map.Strategy = found->Strategy;
  defaults.Map.BlockSize = found->BlockSize;
  defaults.Transport = dsm::TransportFromText(found->Transport);
  const std::string path =
    settings.RecommendTo.empty() ? dsm::ServerDefaults::Path() : settings.RecommendTo;
  defaults.Write(path);
  const auto* kind = dsm::FindTransportKind(defaults.Transport.Heavy);
  fmt::print("recommended here: {}{}, transport {} ({:.0f} % of the best choice's rate, over {} "
             "situations)\n{}written to {}\n",
    found->Strategy,
    bench::HasBlocks(found->Strategy)
      ? fmt::format(" with blocks of {}",
          found->BlockSize > 0 ? dsm::BlockSizeText(found->BlockSize) : "automatic size")
      : std::string(),
    found->Transport, found->Score * 100, found->Situations,
    kind ? fmt::format("{} is {}\n", found->Transport, kind->Text()) : std::string(), path);
  return true;
}

// Writers hear of these: rows would bear the name of one transport, and another would be measured.
void RequireOwnChoice()
{
  for (const char* name : { "DSM_TRANSPORT", "DSM_NODE_MEMORY" })
  {
    if (dsm::environment::Text(name))
    {
      throw bench::WrongUse(fmt::format(
        "{} is set and would change what is measured: unset it, and say --transport", name));
    }
  }
}

int Run(const bench::Settings& settings)
{
  RequireOwnChoice();
  if (settings.Puts)
  {
    const bench::World world({ 1 }, { 1 });
    bench::Hosting hosting(world, settings);
    return bench::MeasurePuts(world, hosting, settings) == 0 ? 0 : 1;
  }
  const bench::World world(settings.Hosts, settings.Writers);
  bench::Hosting hosting(world, settings);
  std::unique_ptr<bench::Report> report;
  if (world.Rank() == 0)
  {
    report = std::make_unique<bench::Report>(settings.Csv, !settings.WriteOnly);
  }
  std::vector<bench::Outcome> outcomes;
  for (const bench::Cell& cell : settings.Cells())
  {
    outcomes.push_back(bench::Measure(cell, world, hosting, settings));
    if (report)
    {
      report->Add(outcomes.back());
    }
  }
  hosting.Stop();
  return report && settings.Recommend && !Advise(outcomes, settings) ? 1 : 0;
}

}

int main(int argc, char** argv)
{
  bench::Settings settings;
  dsm::CommandLine app("dsm_bench",
    "Measures write and read rates of files in hosts' memory. In one MPI job the first ranks host, "
    "and the others write.");
  settings.Declare(app);
  CLI11_PARSE(app, argc, argv);
  settings.Complete(app);

  // Transports over MPI let a thread serve what arrives at a host, where MPI allows that.
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  // Errors are reported by us, once.
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 1;
  try
  {
    status = Run(settings);
  }
  catch (const bench::WrongUse& error)
  {
    status = 2;
    if (rank == 0)
    {
      std::fprintf(stderr, "dsm_bench: %s\n", error.what());
    }
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "dsm_bench: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
