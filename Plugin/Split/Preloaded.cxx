// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into pvbatch or pvserver by dsm-paraview --split: gives ParaView a communicator of its
// own in an MPI job that it shares with a simulation.
//
// ParaView asks MPI_Initialized before it initialises MPI. When MPI is already there, it takes the
// global controller that exists, and leaves MPI's end to others. So the first question is answered
// by doing all that. (Replacing MPI_Init would not do: ParaView then finalises MPI itself, with a
// barrier over MPI_COMM_WORLD, where the simulation does not join in.)
#include "SplitJob.h"

#include <vtkMPI.h>
#include <vtkMPICommunicator.h>
#include <vtkMPIController.h>
#include <vtkNew.h>
#include <vtkSmartPointer.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace
{

bool asked = false;

// VTK's idea of the world: code that asks for it must not get MPI_COMM_WORLD, whose collectives
// would wait for the simulation.
class World : public vtkMPICommunicator
{
public:
  static void Become(vtkMPICommunicator* communicator)
  {
    communicator->Register(nullptr);
    WorldCommunicator = communicator;
  }
};

void FinalizeMpi()
{
  int finalized = 0;
  PMPI_Finalized(&finalized);
  if (!finalized)
  {
    PMPI_Finalize();
  }
}

void GiveParaViewItsPart()
{
  // Lives as long as the process: the communicator is ParaView's to the end.
  static SplitJob* const job = new SplitJob;
  // Runs after what ParaView registers from here on.
  std::atexit(FinalizeMpi);
  MPI_Comm own = job->Own();
  vtkMPICommunicatorOpaqueComm handle(&own);
  const auto communicator = vtkSmartPointer<vtkMPICommunicator>::New();
  communicator->InitializeExternal(&handle);
  World::Become(communicator);
  auto* const controller = vtkMPIController::New();
  controller->SetCommunicator(communicator);
  vtkMultiProcessController::SetGlobalController(controller);
}

// What ParaView starts in its turn is no part of the job. The list in LD_PRELOAD is as dsm-paraview
// left it: we are its first.
__attribute__((constructor)) void LeaveTheEnvironment()
{
  const char* const list = std::getenv("LD_PRELOAD");
  if (!list)
  {
    return;
  }
  const std::string text = list;
  const auto end = text.find(':');
  if (end == std::string::npos)
  {
    unsetenv("LD_PRELOAD");
  }
  else
  {
    setenv("LD_PRELOAD", text.substr(end + 1).c_str(), 1);
  }
}

__attribute__((destructor)) void Complain()
{
  if (!asked)
  {
    std::fprintf(stderr,
      "dsm-paraview: --split: %s ended without asking for MPI, so the job was not split: use "
      "pvbatch or pvserver (pvpython and paraview with --mpi) of the ParaView this was built for\n",
      program_invocation_short_name);
  }
}

}

extern "C" int MPI_Initialized(int* flag)
{
  // MPI may ask itself on the way.
  if (!asked)
  {
    asked = true;
    int initialized = 0;
    PMPI_Initialized(&initialized);
    if (!initialized)
    {
      GiveParaViewItsPart();
    }
  }
  return PMPI_Initialized(flag);
}
