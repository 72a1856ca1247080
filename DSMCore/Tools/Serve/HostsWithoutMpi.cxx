// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Environment.h"
#include "Base/Error.h"
#include "Mpi/Agreement.h"
#include "Server/Host/HostGathering.h"
#include "Tools/ExecProgram.h"
#include "Tools/Serve/Hosts.h"
#include "Transport/ChooseTransport.h"
#include "Transport/TransportKind.h"

#include <cstdlib>
#include <memory>

namespace hosts
{

namespace
{
// The hosts of one launch wait so long for each other: a launcher may take its time.
constexpr dsm::Seconds MeetingLimit(120);

bool IsOverMpi(const std::string& name)
{
  const dsm::TransportKind* const kind = dsm::FindTransportKind(name);
  return kind && kind->Name() == "mpi";
}

// Returns whether this job has other programs besides the hosts. Programs of MPI would wait for
// these processes in MPI_Init.
bool IsPartOfJob()
{
  return dsm::environment::Text("DSM_MPMD_COLOUR") ||
    std::atoi(dsm::environment::Text("OMPI_NUM_APP_CTX").value_or("1").c_str()) > 1;
}

bool NeedsMpi(const Request& request)
{
  const dsm::TransportChoice choice = dsm::TransportWithEnvironment(request.Transport);
  return request.OneThread || IsOverMpi(choice.Heavy) || IsOverMpi(choice.Light) || IsPartOfJob();
}

// Host 0 says what all hosts end with. The others wait until it has: a launcher ends the whole job,
// and shows nothing more, once a process has failed.
void SayTogether(dsm::RankGroup& hosts, const dsm::AgreedError& error)
{
  if (hosts.Rank() == 0)
  {
    SayError(error);
  }
  try
  {
    hosts.Barrier();
    hosts.Free();
  }
  catch (const dsm::Error&)
  {
    return; // one of them has ended already
  }
}
}

int Run(int /*argc*/, char** argv, const Request& request,
  const std::function<int(const std::shared_ptr<dsm::RankGroup>&)>& serve)
{
  if (NeedsMpi(request))
  {
#ifdef DSM_SERVE_MPI
    dsm::BecomePart(DSM_SERVE_MPI, "dsm-serve", argv);
#else
    throw dsm::Error(dsm::Fault::Unsupported,
      "this dsm-serve was built without MPI, which a transport over MPI and one job with other "
      "programs need: choose another transport (automatic, fabric), or a build with MPI");
#endif
  }
  const dsm::HostPlace place =
    request.Place.empty() ? dsm::PlaceInLaunch() : dsm::PlaceFromText(request.Place);
  std::shared_ptr<dsm::RankGroup> group;
  try
  {
    group = dsm::GatherHosts(request.ContactFile, place, MeetingLimit, request.IsStopped);
    return serve(group);
  }
  catch (const dsm::AgreedError& error)
  {
    SayTogether(*group, error);
  }
  catch (const std::exception& error)
  {
    SayError(error);
  }
  return 1;
}

}
