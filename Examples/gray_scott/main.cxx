// SPDX-License-Identifier: BSD-3-Clause
#include "Check.h"
#include "Domain.h"
#include "Options.h"
#include "Reader.h"
#include "Simulation.h"
#include "Steering.h"
#include "Writer.h"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

namespace
{

void Output(const Domain& domain, const Simulation& simulation, const Steering& steering,
  const Writer& writer)
{
  const auto [smallest, largest] = simulation.RangeOfV();
  const double began = MPI_Wtime();
  const std::string name = writer.Write(simulation.Step(), simulation.Time(),
    steering.Wanted("/VTKHDF/PointData/u") ? &simulation.U() : nullptr,
    steering.Wanted("/VTKHDF/PointData/v") ? &simulation.V() : nullptr);
  if (domain.Rank() == 0)
  {
    std::printf("step %6d  time %8.1f  v %.4f to %.4f  wrote %s in %.3f s\n", simulation.Step(),
      simulation.Time(), smallest, largest, name.c_str(), MPI_Wtime() - began);
    std::fflush(stdout);
  }
}

/// The ranks of this program. A job may hold several (mpiexec -n 2 viewer : -n 3 gray_scott), which
/// MPI numbers; then MPI_COMM_WORLD holds all of them.
MPI_Comm OwnRanks()
{
  void* number = nullptr;
  int found = 0;
  CheckMpi(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, static_cast<void*>(&number), &found),
    "MPI_Comm_get_attr of MPI_APPNUM");
  const int program = found ? *static_cast<int*>(number) : 0;
  int rank = 0;
  CheckMpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  MPI_Comm own = MPI_COMM_NULL;
  CheckMpi(MPI_Comm_split(MPI_COMM_WORLD, program, rank, &own), "MPI_Comm_split");
  return own;
}

void Run(const Options& options, MPI_Comm ranks)
{
  const Domain domain(ranks, options.Size);
  Simulation simulation(domain, options);
  if (!options.Restart.empty())
  {
    State state = ReadState(domain, options.Restart);
    simulation.Resume(state.Step, std::move(state.U), std::move(state.V));
  }
  Steering steering(simulation, options);
  const Writer writer(domain, options.Output);
  steering.SetOutput([&] { Output(domain, simulation, steering, writer); });
  if (domain.Rank() == 0)
  {
    const Index3& grid = domain.RankGrid();
    std::printf("gray_scott: %d x %d x %d points on %d x %d x %d ranks, %d steps\n",
      options.Size[0], options.Size[1], options.Size[2], grid[0], grid[1], grid[2], options.Steps);
    std::fflush(stdout);
  }

  // What it goes on from has been written.
  for (bool written = !options.Restart.empty();; written = false)
  {
    steering.Step();
    if (steering.OutputDue() && !written)
    {
      Output(domain, simulation, steering, writer);
    }
    if (simulation.Step() >= options.Steps || !steering.Running())
    {
      break;
    }
    simulation.Advance();
  }
}

}

int main(int argc, char** argv)
{
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
  {
    std::fprintf(stderr, "gray_scott: MPI_Init failed\n");
    return EXIT_FAILURE;
  }
  int rank = 0;
  try
  {
    CheckMpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    MPI_Comm ranks = OwnRanks();
    CheckMpi(MPI_Comm_set_errhandler(ranks, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    CheckMpi(MPI_Comm_rank(ranks, &rank), "MPI_Comm_rank");
    Options options;
    const std::optional<int> status = ParseOptions(argc, argv, rank, options);
    if (!status)
    {
      Run(options, ranks);
    }
    CheckMpi(MPI_Comm_free(&ranks), "MPI_Comm_free");
    CheckMpi(MPI_Finalize(), "MPI_Finalize");
    return status.value_or(EXIT_SUCCESS);
  }
  catch (const CommonFailure& failure)
  {
    if (rank == 0)
    {
      std::fprintf(stderr, "gray_scott: %s\n", failure.what());
    }
    MPI_Finalize();
    return EXIT_FAILURE;
  }
  catch (const std::exception& error)
  {
    // One rank may fail alone while others wait for it: only an abort ends them all.
    std::fprintf(stderr, "gray_scott: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    return EXIT_FAILURE;
  }
}
