// SPDX-License-Identifier: BSD-3-Clause
#include "SplitJob.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace
{

// Other programs split by MPI_APPNUM, and their colours are small. Ours differ from all of them,
// also when a wrapper starts all programs as one application with number 0.
constexpr int FirstColour = 0x50560000;

[[noreturn]] void End(const std::string& why, bool print)
{
  if (print)
  {
    std::fprintf(stderr, "dsm-paraview: %s\n", why.c_str());
  }
  PMPI_Finalize();
  std::exit(EXIT_FAILURE);
}

[[noreturn]] void Abort(const char* call, int status)
{
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(status, text, &length);
  std::fprintf(stderr, "dsm-paraview: --split: %s failed: %s\n", call, text);
  PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::abort();
}

void Check(int status, const char* call)
{
  if (status != MPI_SUCCESS)
  {
    Abort(call, status);
  }
}

std::string LibraryName()
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(text, &length);
  // The first line, with single blanks.
  std::string name;
  for (const char c : std::string_view(text, static_cast<std::size_t>(length)))
  {
    if (c == '\n' || c == ',')
    {
      break;
    }
    const char shown = c == '\t' ? ' ' : c;
    if (shown != ' ' || (!name.empty() && name.back() != ' '))
    {
      name += shown;
    }
  }
  return name;
}

int ApplicationNumber()
{
  void* value = nullptr;
  int found = 0;
  Check(PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, static_cast<void*>(&value), &found),
    "MPI_APPNUM");
  return found ? *static_cast<int*>(value) : 0;
}

}

SplitJob::SplitJob()
{
  int level = MPI_THREAD_SINGLE;
  if (PMPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
  {
    std::fprintf(stderr, "dsm-paraview: --split: MPI cannot start: MPI_Init_thread failed\n");
    std::exit(EXIT_FAILURE);
  }
  int rank = 0;
  int all = 0;
  int ours = 0;
  Check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  Check(PMPI_Comm_size(MPI_COMM_WORLD, &all), "MPI_Comm_size");
  if (all > 1)
  {
    Check(PMPI_Comm_split(MPI_COMM_WORLD, FirstColour + ApplicationNumber(), rank, &this->Comm),
      "MPI_Comm_split");
    Check(PMPI_Comm_size(this->Comm, &ours), "MPI_Comm_size");
  }
  if (ours == all || all == 1)
  {
    End("--split: ParaView is alone in its MPI job of " + std::to_string(all) + " process" +
        (all > 1 ? "es" : "") +
        ": start it and the simulation by one mpiexec, and by the one that belongs to ParaView's "
        "MPI (" +
        LibraryName() +
        "):\n  mpiexec -n 2 dsm-paraview --split pvbatch script.py : -n 3 dsm-run … simulation\n"
        "Where they are jobs of their own, leave --split out",
      rank == 0);
  }
}
