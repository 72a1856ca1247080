// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into pvbatch or pvserver by dsm-paraview --split: gives ParaView a communicator of its
// own in an MPI job that it shares with a simulation.
//
// ParaView calls MPI_Initialized before it initialises MPI. If MPI is initialised, it uses the
// global controller that exists, and does not finalise MPI. So the first call initialises MPI and
// sets that controller. (Replacing MPI_Init would not work: ParaView then finalises MPI itself,
// with a barrier over MPI_COMM_WORLD in which the simulation does not take part.)
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

bool initializedCalled = false;

// Sets VTK's world communicator: collectives over MPI_COMM_WORLD would wait for the simulation.
class WorldCommunicatorSetter : public vtkMPICommunicator
{
public:
  static void Set(vtkMPICommunicator* communicator)
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

void InitializeSplit()
{
  // Never deleted: ParaView uses the communicator until the process ends.
  static SplitJob* const job = new SplitJob;
  // Called after the functions that ParaView registers later.
  std::atexit(FinalizeMpi);
  MPI_Comm own = job->Own();
  vtkMPICommunicatorOpaqueComm handle(&own);
  const auto communicator = vtkSmartPointer<vtkMPICommunicator>::New();
  communicator->InitializeExternal(&handle);
  WorldCommunicatorSetter::Set(communicator);
  auto* const controller = vtkMPIController::New();
  controller->SetCommunicator(communicator);
  vtkMultiProcessController::SetGlobalController(controller);
}

// Programs that ParaView starts are no part of the job. This library is the first in LD_PRELOAD,
// where dsm-paraview has put it.
__attribute__((constructor)) void RemoveFromPreload()
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

__attribute__((destructor)) void ReportUnused()
{
  if (!initializedCalled)
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
  // MPI may call this function itself while it is initialised.
  if (!initializedCalled)
  {
    initializedCalled = true;
    int initialized = 0;
    PMPI_Initialized(&initialized);
    if (!initialized)
    {
      InitializeSplit();
    }
  }
  return PMPI_Initialized(flag);
}
