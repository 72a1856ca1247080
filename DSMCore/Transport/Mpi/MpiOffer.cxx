// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/MpiOffer.h"

#include "Base/Error.h"
#include "Mpi/Job.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace dsm
{

namespace
{
bool IsOpenMpi(const std::string& library)
{
  return library.rfind("Open MPI", 0) == 0;
}
}

JobDescription DescribeJob(const Communicator& ranks)
{
  JobDescription made;
  made.Library = Communicator::LibraryName();
  made.WorldSize = static_cast<std::uint64_t>(job::WorldSize());
  made.Leader = static_cast<std::uint64_t>(job::WorldRank());
  made.Ranks = static_cast<std::uint64_t>(ranks.Size());
  return made;
}

std::vector<std::string> NetworksThatPin(const std::string& root)
{
  std::vector<std::string> found;
  for (const char* folder : { "/sys/class/infiniband", "/sys/class/cxi" })
  {
    std::error_code none;
    for (const auto& device : std::filesystem::directory_iterator(root + folder, none))
    {
      found.push_back(device.path().filename());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

JoinMethod ChooseJoinMethod(const MpiOffer& offer, const JobDescription& client)
{
  const JobDescription& hosts = offer.Hosts;
  if (!offer.Given)
  {
    throw Error(Fault::Unsupported,
      "the simulation wants a transport over MPI, and the DSM server was started without one: "
      "start it with the transport mpi-rma or mpi-messages, or let the simulation follow the "
      "server (unset DSM_TRANSPORT)");
  }
  if (client.Library != hosts.Library)
  {
    throw Error(Fault::Unsupported,
      "the simulation uses {} and ParaView's side {}: MPI joins programs of one library only. "
      "Choose the transport fabric, which does not care, or run both with the same MPI",
      client.Library, hosts.Library);
  }
  if (hosts.Ranks < hosts.WorldSize)
  {
    if (client.WorldSize != hosts.WorldSize || client.Leader == hosts.Leader ||
      client.Ranks + hosts.Ranks > hosts.WorldSize)
    {
      throw Error(Fault::Unsupported,
        "ParaView's side is part of an MPI job with other programs, and the simulation is not in "
        "that job (it has {} ranks, the simulation's {}): MPI joins them statically only when one "
        "launch starts both (mpiexec -n {} PARAVIEW : -n {} SIMULATION). Do that, or start "
        "ParaView's side alone, or choose the transport fabric",
        hosts.WorldSize, client.WorldSize, hosts.Ranks, client.Ranks);
    }
    return JoinMethod::Static;
  }
  if (offer.Port.empty())
  {
    throw Error(Fault::Unsupported,
      "{} offers no port for the simulation to connect to ({}): choose the transport fabric, or "
      "start both programs in one job (mpiexec -n {} PARAVIEW : -n {} SIMULATION)",
      hosts.Library, offer.PortFailure, hosts.Ranks, client.Ranks);
  }
  if (IsOpenMpi(hosts.Library))
  {
    // Between two mpiexec its MPI_Comm_connect waits for ever; between two prun of one prte it
    // mostly does, too (5.0.7: both sides in PMIx_Lookup). Nothing may wait for ever.
    throw Error(Fault::Unsupported,
      "{} does not connect two running jobs reliably (MPI_Comm_connect may never return): choose "
      "the transport fabric, or start both programs in one job (dsm-mpmd {} PARAVIEW :: {} "
      "SIMULATION)",
      hosts.Library, hosts.Ranks, client.Ranks);
  }
  return JoinMethod::Dynamic;
}

std::string JoinMethodText(const MpiOffer& offer)
{
  if (offer.Hosts.Ranks < offer.Hosts.WorldSize)
  {
    return "for programs of the same MPI job";
  }
  return offer.Port.empty() ? "for nobody: " + offer.PortFailure : "for other MPI jobs, by a port";
}

bool WantsMpi(const TransportChoice& choice)
{
  return choice.Heavy.rfind("mpi-", 0) == 0 || choice.Light.rfind("mpi-", 0) == 0;
}

bool WantsOneSided(const TransportChoice& choice)
{
  return choice.Heavy == "mpi-rma" || choice.Light == "mpi-rma";
}

}
