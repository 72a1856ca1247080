// SPDX-License-Identifier: BSD-3-Clause
// What user_bench.py times beside us: the same bytes by ADIOS2's SST, to a reader that takes them.
//
//     sst write NAME STEPS BYTES PAUSE work|sleep
//     sst read NAME
#include <adios2.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <unistd.h>

namespace
{

adios2::IO Stream(adios2::ADIOS& adios)
{
  adios2::IO io = adios.DeclareIO("steps");
  io.SetEngine("SST");
  const char* plane = std::getenv("SST_PLANE");
  io.SetParameters({ { "RendezvousReaderCount", "1" }, { "QueueLimit", "2" },
    { "QueueFullPolicy", "Block" }, { "DataTransport", plane ? plane : "UCX" } });
  return io;
}

void Pause(double milliseconds, bool work)
{
  if (!work)
  {
    usleep(static_cast<useconds_t>(milliseconds * 1000));
    return;
  }
  for (const double end = MPI_Wtime() + milliseconds / 1000; MPI_Wtime() < end;)
  {
  }
}

void Write(adios2::ADIOS& adios, char** words)
{
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int steps = std::atoi(words[1]);
  const std::size_t count =
    std::strtoull(words[2], nullptr, 10) / sizeof(double) / static_cast<std::size_t>(ranks);
  adios2::IO io = Stream(adios);
  auto variable = io.DefineVariable<double>("values", { count * static_cast<std::size_t>(ranks) },
    { count * static_cast<std::size_t>(rank) }, { count });
  std::vector<double> values(count);
  adios2::Engine engine = io.Open(words[0], adios2::Mode::Write);
  for (int step = 0; step < steps; ++step)
  {
    for (std::size_t i = 0; i < count; ++i)
    {
      values[i] = step + static_cast<double>(i);
    }
    Pause(std::atof(words[3]), std::strcmp(words[4], "work") == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    engine.BeginStep();
    engine.Put(variable, values.data());
    engine.EndStep();
    double spent = 1000 * (MPI_Wtime() - begin);
    MPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
    {
      std::printf("%.4f\n", spent);
    }
  }
  engine.Close();
}

void Read(adios2::ADIOS& adios, const std::string& name)
{
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  adios2::IO io = Stream(adios);
  adios2::Engine engine = io.Open(name, adios2::Mode::Read);
  std::vector<double> values;
  while (engine.BeginStep() == adios2::StepStatus::OK)
  {
    auto variable = io.InquireVariable<double>("values");
    const std::size_t share = variable.Shape()[0] / static_cast<std::size_t>(ranks);
    values.resize(share);
    variable.SetSelection({ { share * static_cast<std::size_t>(rank) }, { share } });
    engine.Get(variable, values.data());
    engine.EndStep();
  }
  engine.Close();
}

}

int main(int argc, char** argv)
{
  int given = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
  {
    adios2::ADIOS adios(MPI_COMM_WORLD);
    std::string(argv[1]) == "write" ? Write(adios, argv + 2) : Read(adios, argv[2]);
  }
  MPI_Finalize();
  return 0;
}
