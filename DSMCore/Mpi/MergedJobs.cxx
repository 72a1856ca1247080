// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/MergedJobs.h"

#include "Base/Error.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace dsm
{

namespace
{
/// Makes errors of calls that have no communicator of ours return instead of abort, for a while.
/// MPI 3 reports them on MPI_COMM_WORLD, MPI 4 on MPI_COMM_SELF.
class ErrorsReturn
{
public:
  ErrorsReturn()
  {
    for (std::size_t i = 0; i < Where.size(); ++i)
    {
      MPI_Comm_get_errhandler(Where[i], &this->Before[i]);
      MPI_Comm_set_errhandler(Where[i], MPI_ERRORS_RETURN);
    }
  }
  ~ErrorsReturn()
  {
    for (std::size_t i = 0; i < Where.size(); ++i)
    {
      MPI_Comm_set_errhandler(Where[i], this->Before[i]);
      MPI_Errhandler_free(&this->Before[i]);
    }
  }
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;

private:
  const std::array<MPI_Comm, 2> Where{ MPI_COMM_WORLD, MPI_COMM_SELF };
  std::array<MPI_Errhandler, 2> Before{ MPI_ERRHANDLER_NULL, MPI_ERRHANDLER_NULL };
};

MPI_Comm Intercommunicator(const Communicator& ours, int otherLeader, int tag)
{
  MPI_Comm both = MPI_COMM_NULL;
  CheckMpi(MPI_Intercomm_create(ours.Handle(), 0, MPI_COMM_WORLD, otherLeader, tag, &both),
    "MPI_Intercomm_create");
  return both;
}

// An empty message between each rank and each of the other job's; returns when this rank's are
// there.
void SendToAllOthers(MPI_Comm both, int others, bool sends)
{
  constexpr int tag = 0;
  std::vector<MPI_Request> requests(static_cast<std::size_t>(others), MPI_REQUEST_NULL);
  for (int other = 0; other < others; ++other)
  {
    MPI_Request& request = requests[static_cast<std::size_t>(other)];
    CheckMpi(sends ? MPI_Isend(nullptr, 0, MPI_BYTE, other, tag, both, &request)
                   : MPI_Irecv(nullptr, 0, MPI_BYTE, other, tag, both, &request),
      sends ? "MPI_Isend" : "MPI_Irecv");
  }
  CheckMpi(MPI_Waitall(others, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

// Jobs that met at a port have no connections yet, but between their leaders. Where two processes
// connect to each other at the same moment, libfabric's tcp (with MPICH 5.0.2) now and then
// delivers neither's message, and a collective call waits for ever: about one joining in fifty. So
// the second job's ranks speak first.
void ConnectAll(MPI_Comm both, bool second)
{
  int others = 0;
  CheckMpi(MPI_Comm_remote_size(both, &others), "MPI_Comm_remote_size");
  SendToAllOthers(both, others, second);
  SendToAllOthers(both, others, !second);
}
}

Port Port::Open()
{
  std::array<char, MPI_MAX_PORT_NAME> name{};
  const ErrorsReturn forNow;
  CheckMpi(MPI_Open_port(MPI_INFO_NULL, name.data()), "MPI_Open_port");
  Port made;
  made.Text = name.data();
  return made;
}

Port::Port(Port&& other) noexcept
  : Text(std::exchange(other.Text, {}))
{
}

Port& Port::operator=(Port&& other) noexcept
{
  std::swap(this->Text, other.Text);
  return *this;
}

Port::~Port()
{
  if (!this->Text.empty() && MpiIsAlive())
  {
    const ErrorsReturn forNow;
    MPI_Close_port(this->Text.c_str());
  }
}

MergedJobs MergedJobs::JoinAsFirst(const Communicator& ours, int otherLeader, int tag)
{
  return Merge(Intercommunicator(ours, otherLeader, tag), false, false);
}

MergedJobs MergedJobs::JoinAsSecond(const Communicator& ours, int otherLeader, int tag)
{
  return Merge(Intercommunicator(ours, otherLeader, tag), true, false);
}

MergedJobs MergedJobs::Accept(const Communicator& ours, const std::string& port)
{
  MPI_Comm both = MPI_COMM_NULL;
  CheckMpi(
    MPI_Comm_accept(port.c_str(), MPI_INFO_NULL, 0, ours.Handle(), &both), "MPI_Comm_accept");
  return Merge(both, false, true);
}

MergedJobs MergedJobs::Connect(const Communicator& ours, const std::string& port)
{
  MPI_Comm both = MPI_COMM_NULL;
  CheckMpi(
    MPI_Comm_connect(port.c_str(), MPI_INFO_NULL, 0, ours.Handle(), &both), "MPI_Comm_connect");
  return Merge(both, true, true);
}

MergedJobs MergedJobs::Alone(const Communicator& ours)
{
  MergedJobs made;
  made.All = Communicator::Duplicate(ours.Handle());
  return made;
}

MergedJobs MergedJobs::Merge(MPI_Comm both, bool second, bool twoJobs)
{
  MergedJobs made;
  made.TwoJobs = twoJobs;
  made.Between = Communicator::Adopt(both);
  if (twoJobs)
  {
    ConnectAll(both, second);
  }
  MPI_Comm all = MPI_COMM_NULL;
  CheckMpi(MPI_Intercomm_merge(both, second ? 1 : 0, &all), "MPI_Intercomm_merge");
  made.All = Communicator::Adopt(all);
  return made;
}

// Open MPI 5 waits for ever in MPI_Comm_disconnect between jobs of one virtual machine, though all
// ranks of both call it; and its MPI_Finalize does not need it.
void MergedJobs::Free()
{
  if (this->TwoJobs && Communicator::LibraryName().rfind("Open MPI", 0) != 0)
  {
    this->All.Disconnect();
    this->Between.Disconnect();
  }
  else
  {
    this->All.Free();
    this->Between.Free();
  }
}

MergedJobs::~MergedJobs()
{
  this->All.Leak();
  this->Between.Leak();
}

}
