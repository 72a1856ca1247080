// SPDX-License-Identifier: BSD-3-Clause
#include "Client/ProgramRanks.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Mpi/CollectiveWait.h"
#include "Mpi/InPieces.h"
#include "Mpi/LibraryName.h"
#include "Mpi/Polling.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <exception>

namespace dsm
{

namespace
{
// No MPI library writes longer texts than these.
constexpr std::size_t LongestVersion = 8192;
constexpr std::size_t LongestErrorText = 1024;
constexpr std::size_t LargestStatus = 256; // bytes of an MPI_Status

bool IsRunning(const dsm_mpi& mpi)
{
  int initialized = 0;
  int finalized = 0;
  mpi.initialized(&initialized);
  mpi.finalized(&finalized);
  return initialized && !finalized;
}

// Returns the handle that MPI wrote to a place of a pointer's size. Handles may be shorter.
std::intptr_t HandleAt(const std::intptr_t& place, std::size_t size)
{
  if (size == sizeof(std::int32_t))
  {
    std::int32_t number = 0;
    std::memcpy(&number, &place, sizeof number);
    return number;
  }
  return place;
}
}

ProgramRanks::ProgramRanks(const dsm_mpi& mpi, std::intptr_t comm)
  : Mpi(mpi)
  , Comm(mpi.comm_null)
{
  if (mpi.size != sizeof mpi)
  {
    throw Error(
      Fault::Usage, "the dsm_mpi has another version: compile the program with this dsm.h");
  }
  if (!IsRunning(mpi))
  {
    throw Error(Fault::Usage,
      "MPI is not running: call this between MPI_Init and MPI_Finalize, or dsm_open_serial");
  }
  if (comm == mpi.comm_null)
  {
    throw Error(Fault::Usage,
      "the communicator is MPI_COMM_NULL: a process outside a communicator has no part in its "
      "session, and a NULL session does nothing. dsm_open_serial is for a process by itself");
  }
  this->Check(mpi.comm_rank(comm, &this->MyRank), "MPI_Comm_rank");
  this->Check(mpi.comm_size(comm, &this->Ranks), "MPI_Comm_size");
  const CollectiveWait wait("MPI_Comm_dup", this->MyRank);
  std::intptr_t made = 0;
  this->Check(mpi.comm_dup(comm, &made), "MPI_Comm_dup");
  this->Comm = HandleAt(made, mpi.handle_size);
  this->Check(mpi.comm_set_errhandler(this->Comm, mpi.errors_return), "MPI_Comm_set_errhandler");
}

ProgramRanks::ProgramRanks(ProgramRanks&& other) noexcept
  : Mpi(other.Mpi)
  , Comm(other.Comm)
  , MyRank(other.MyRank)
  , Ranks(other.Ranks)
{
  other.Abandon();
}

ProgramRanks::~ProgramRanks()
{
  if (!this->HasMpi() || std::uncaught_exceptions() > 0 || !IsRunning(this->Mpi))
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

void ProgramRanks::Free()
{
  if (this->HasMpi())
  {
    this->Check(this->Mpi.comm_free(&this->Comm), "MPI_Comm_free");
    this->Abandon();
  }
}

void ProgramRanks::RequireRunning() const
{
  if (this->HasMpi() && !IsRunning(this->Mpi))
  {
    throw Error(Fault::Usage, "MPI_Finalize was called before: close the session first");
  }
}

std::string ProgramRanks::LibraryName() const
{
  if (!this->HasMpi())
  {
    return {};
  }
  std::array<char, LongestVersion> text{};
  int length = 0;
  this->Mpi.library_version(text.data(), &length);
  return NameOfLibrary(text.data());
}

void ProgramRanks::Check(int rc, const char* call) const
{
  if (rc != 0)
  {
    std::array<char, LongestErrorText> text{ "unknown error" };
    int length = 0;
    this->Mpi.error_string(rc, text.data(), &length);
    throw Error(Fault::System, "{} failed: {}", call, text.data());
  }
}

void ProgramRanks::Broadcast(void* data, std::uint64_t bytes, int root) const
{
  if (!this->HasMpi())
  {
    return;
  }
  const CollectiveWait wait("MPI_Bcast", this->MyRank);
  auto* position = static_cast<std::byte*>(data);
  InPieces(bytes,
    [&](std::uint64_t done, std::uint64_t piece)
    {
      this->Check(
        this->Mpi.bcast(position + done, static_cast<int>(piece), this->Mpi.byte, root, this->Comm),
        "MPI_Bcast");
    });
}

void ProgramRanks::BroadcastYielding(
  void* data, std::uint64_t bytes, const std::function<void()>& rest) const
{
  if (!this->HasMpi())
  {
    return;
  }
  std::intptr_t request = 0;
  this->Check(
    this->Mpi.ibcast(data, static_cast<int>(bytes), this->Mpi.byte, 0, this->Comm, &request),
    "MPI_Ibcast");
  const auto isDone = [&]
  {
    int done = 0;
    alignas(std::max_align_t) std::array<std::byte, LargestStatus> status;
    this->Check(this->Mpi.test(&request, &done, status.data()), "MPI_Test");
    return done != 0;
  };
  PollUntil(isDone, rest);
}

std::string ProgramRanks::BroadcastText(const std::string& text, int root) const
{
  std::uint64_t size = text.size();
  this->Broadcast(&size, sizeof size, root);
  std::string received(text);
  received.resize(size);
  this->Broadcast(received.data(), size, root);
  return received;
}

std::vector<std::string> ProgramRanks::AllGatherText(const std::string& text) const
{
  std::vector<std::string> texts;
  texts.reserve(static_cast<std::size_t>(this->Ranks));
  for (int rank = 0; rank < this->Ranks; ++rank)
  {
    texts.push_back(this->BroadcastText(text, rank));
  }
  return texts;
}

std::uint64_t ProgramRanks::Max(std::uint64_t value) const
{
  return this->Reduce({ value }, this->Mpi.maximum).front();
}

std::vector<std::uint64_t> ProgramRanks::Sum(const std::vector<std::uint64_t>& values) const
{
  return this->Reduce(values, this->Mpi.sum);
}

std::vector<std::uint64_t> ProgramRanks::Reduce(
  const std::vector<std::uint64_t>& values, std::intptr_t operation) const
{
  std::vector<std::uint64_t> result(values);
  if (this->HasMpi() && !values.empty())
  {
    const CollectiveWait wait("MPI_Allreduce", this->MyRank);
    this->Check(this->Mpi.allreduce(values.data(), result.data(), static_cast<int>(values.size()),
                  this->Mpi.uint64, operation, this->Comm),
      "MPI_Allreduce");
  }
  return result;
}

}
