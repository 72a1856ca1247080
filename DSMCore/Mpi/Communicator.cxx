// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/Communicator.h"

#include "Base/Clock.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Mpi/CollectiveWait.h"
#include "Mpi/Request.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

namespace dsm
{

namespace
{
template <typename T>
void Reduce(
  MPI_Comm comm, int rank, T* values, std::size_t count, MPI_Datatype type, MPI_Op operation)
{
  if (comm != MPI_COMM_NULL && count > 0)
  {
    const CollectiveWait wait("MPI_Allreduce", rank);
    CheckMpi(MPI_Allreduce(MPI_IN_PLACE, values, static_cast<int>(count), type, operation, comm),
      "MPI_Allreduce");
  }
}

template <typename T>
T Reduce(MPI_Comm comm, int rank, T value, MPI_Datatype type, MPI_Op operation)
{
  Reduce(comm, rank, &value, 1, type, operation);
  return value;
}
}

void CheckMpi(int rc, const char* call)
{
  if (rc == MPI_SUCCESS)
  {
    return;
  }
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  int errorClass = 0;
  MPI_Error_class(rc, &errorClass);
  MPI_Error_string(rc, text, &length);
  throw Error(Fault::System, "{} failed: {} (error class {})", call, text, errorClass);
}

bool MpiIsAlive()
{
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized && !finalized;
}

Communicator Communicator::Duplicate(MPI_Comm comm)
{
  MPI_Comm duplicate = MPI_COMM_NULL;
  if (comm != MPI_COMM_NULL)
  {
    CheckMpi(MPI_Comm_dup(comm, &duplicate), "MPI_Comm_dup");
  }
  return Adopt(duplicate);
}

Communicator Communicator::Adopt(MPI_Comm comm)
{
  Communicator made;
  made.Comm = comm;
  if (comm == MPI_COMM_NULL)
  {
    return made;
  }
  CheckMpi(MPI_Comm_set_errhandler(made.Comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  CheckMpi(MPI_Comm_rank(made.Comm, &made.MyRank), "MPI_Comm_rank");
  CheckMpi(MPI_Comm_size(made.Comm, &made.Ranks), "MPI_Comm_size");
  return made;
}

Communicator::Communicator(Communicator&& other) noexcept
  : Comm(std::exchange(other.Comm, MPI_COMM_NULL))
  , MyRank(std::exchange(other.MyRank, 0))
  , Ranks(std::exchange(other.Ranks, 1))
{
}

Communicator& Communicator::operator=(Communicator&& other) noexcept
{
  std::swap(this->Comm, other.Comm);
  std::swap(this->MyRank, other.MyRank);
  std::swap(this->Ranks, other.Ranks);
  return *this;
}

Communicator::~Communicator()
{
  if (this->Comm == MPI_COMM_NULL || std::uncaught_exceptions() > 0 || !MpiIsAlive())
  {
    return;
  }
  try
  {
    this->Free();
  }
  catch (const std::exception& error)
  {
    Log().warn("a communicator was not freed: {}", error.what());
  }
}

void Communicator::Free()
{
  if (this->Comm != MPI_COMM_NULL)
  {
    CheckMpi(MPI_Comm_free(&this->Comm), "MPI_Comm_free");
    this->Comm = MPI_COMM_NULL;
  }
  this->MyRank = 0;
  this->Ranks = 1;
}

void Communicator::Disconnect()
{
  if (this->Comm != MPI_COMM_NULL)
  {
    CheckMpi(MPI_Comm_disconnect(&this->Comm), "MPI_Comm_disconnect");
  }
  this->Leak();
}

void Communicator::Leak() noexcept
{
  this->Comm = MPI_COMM_NULL;
  this->MyRank = 0;
  this->Ranks = 1;
}

void Communicator::Barrier() const
{
  if (this->Comm != MPI_COMM_NULL)
  {
    const CollectiveWait wait("MPI_Barrier", this->MyRank);
    CheckMpi(MPI_Barrier(this->Comm), "MPI_Barrier");
  }
}

void Communicator::Broadcast(void* data, std::uint64_t bytes, int root) const
{
  if (this->Comm == MPI_COMM_NULL)
  {
    return;
  }
  const CollectiveWait wait("MPI_Bcast", this->MyRank);
  auto* position = static_cast<std::byte*>(data);
  InPieces(bytes,
    [&](std::uint64_t done, std::uint64_t piece)
    {
      CheckMpi(MPI_Bcast(position + done, static_cast<int>(piece), MPI_BYTE, root, this->Comm),
        "MPI_Bcast");
    });
}

void Communicator::BroadcastYielding(void* data, std::uint64_t bytes, int root) const
{
  if (this->Comm == MPI_COMM_NULL)
  {
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  CheckMpi(
    MPI_Ibcast(data, static_cast<int>(bytes), MPI_BYTE, root, this->Comm, &request), "MPI_Ibcast");
  for (int done = 0; !done;)
  {
    CheckMpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (!done)
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

std::string Communicator::BroadcastText(const std::string& text, int root) const
{
  std::uint64_t size = text.size();
  this->Broadcast(&size, sizeof size, root);
  std::string received(text);
  received.resize(size);
  this->Broadcast(received.data(), size, root);
  return received;
}

std::vector<std::string> Communicator::AllGatherText(const std::string& text) const
{
  if (this->Comm == MPI_COMM_NULL)
  {
    return { text };
  }
  const CollectiveWait wait("MPI_Allgather", this->MyRank);
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(this->Ranks));
  const std::uint64_t mine = text.size();
  CheckMpi(
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, sizes.data(), sizeof mine, MPI_BYTE, this->Comm),
    "MPI_Allgather");
  std::vector<int> counts;
  std::vector<int> offsets;
  std::uint64_t sum = 0;
  for (const std::uint64_t size : sizes)
  {
    offsets.push_back(static_cast<int>(sum));
    counts.push_back(static_cast<int>(size));
    sum += size;
    if (sum > std::numeric_limits<int>::max())
    {
      throw Error(
        Fault::Usage, "{} ranks have more than 2 GiB to tell each other at once", this->Ranks);
    }
  }
  std::string all(sum, '\0');
  CheckMpi(MPI_Allgatherv(text.data(), static_cast<int>(mine), MPI_BYTE, all.data(), counts.data(),
             offsets.data(), MPI_BYTE, this->Comm),
    "MPI_Allgatherv");
  std::vector<std::string> texts;
  texts.reserve(sizes.size());
  for (std::size_t rank = 0; rank < sizes.size(); ++rank)
  {
    texts.push_back(all.substr(static_cast<std::size_t>(offsets[rank]), sizes[rank]));
  }
  return texts;
}

std::uint64_t Communicator::Max(std::uint64_t value) const
{
  return Reduce(this->Comm, this->MyRank, value, MPI_UINT64_T, MPI_MAX);
}

std::uint64_t Communicator::Sum(std::uint64_t value) const
{
  return Reduce(this->Comm, this->MyRank, value, MPI_UINT64_T, MPI_SUM);
}

std::vector<std::uint64_t> Communicator::Sum(std::vector<std::uint64_t> values) const
{
  Reduce(this->Comm, this->MyRank, values.data(), values.size(), MPI_UINT64_T, MPI_SUM);
  return values;
}

double Communicator::Max(double value) const
{
  return Reduce(this->Comm, this->MyRank, value, MPI_DOUBLE, MPI_MAX);
}

std::string Communicator::LibraryName()
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string name(text, static_cast<std::size_t>(std::max(length, 0)));
  std::replace(name.begin(), name.end(), '\t', ' ');
  // "Open MPI v5.0.7, package: …", "MPICH Version:      4.2.1\nMPICH Release date: …"
  name = name.substr(0, name.find_first_of(",\n"));
  if (const auto colon = name.find(" Version:"); colon != std::string::npos)
  {
    const auto number = name.find_first_not_of(' ', colon + 9);
    name = name.substr(0, colon) + " " + (number == std::string::npos ? "" : name.substr(number));
  }
  while (!name.empty() && (name.back() == '\0' || name.back() == ' '))
  {
    name.pop_back();
  }
  return name;
}

std::string Communicator::RunningLibrary()
{
  return MpiIsAlive() ? LibraryName() : std::string();
}

}
