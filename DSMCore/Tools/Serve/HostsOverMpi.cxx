// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Mpi/Job.h"
#include "Tools/Serve/Hosts.h"

namespace hosts
{

int Run(int argc, char** argv, const Request& request,
  const std::function<int(const std::shared_ptr<dsm::RankGroup>&)>& serve)
{
  if (!request.Place.empty())
  {
    throw dsm::Error(dsm::Fault::Usage,
      "--host numbers hosts that find each other without MPI: leave it out, since MPI's launcher "
      "numbers them, or choose a transport without MPI (automatic, fabric)");
  }
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(
    &argc, &argv, request.OneThread ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
  int status = 1;
  try
  {
    status = serve(std::make_shared<dsm::Communicator>(dsm::job::ThisProgram()));
  }
  catch (const std::exception& error)
  {
    if (dsm::job::WorldRank() == 0)
    {
      SayError(error);
    }
  }
  MPI_Finalize();
  return status;
}

}
