// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/Communicator.h"

#include "Base/Clock.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Mpi/CollectiveWait.h"
#include "Mpi/LibraryName.h"
#include "Mpi/Polling.h"
#include "Mpi/Request.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <limits>
#include <numeric>
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

// A text's length travels with its beginning, so that most need one call: little enough for MPI to
// send it without asking first.
constexpr std::size_t FirstMessage = 2048;
constexpr std::size_t FirstText = FirstMessage - sizeof(std::uint64_t);

// One element of the operation is a whole record: the number of values to take the maximum of,
// those, and values to be summed.
void CombineRecords(void* in, void* inOut, int* count, MPI_Datatype* type)
{
  int size = 0;
  MPI_Type_size(*type, &size);
  const std::size_t words = static_cast<std::size_t>(size) / sizeof(std::uint64_t);
  const auto* other = static_cast<const std::uint64_t*>(in);
  auto* mine = static_cast<std::uint64_t*>(inOut);
  for (int record = 0; record < *count; ++record, other += words, mine += words)
  {
    const std::size_t maxima = 1 + static_cast<std::size_t>(mine[0]);
    for (std::size_t word = 1; word < words; ++word)
    {
      mine[word] = word < maxima ? std::max(mine[word], other[word]) : mine[word] + other[word];
    }
  }
}

MPI_Op CombiningOperation()
{
  static const MPI_Op operation = []
  {
    MPI_Op made{};
    CheckMpi(MPI_Op_create(&CombineRecords, 1, &made), "MPI_Op_create");
    return made;
  }();
  return operation;
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

Communicator Communicator::Borrow(const Communicator& other)
{
  Communicator borrowed;
  borrowed.Comm = other.Comm;
  borrowed.Owned = false;
  borrowed.MyRank = other.MyRank;
  borrowed.Ranks = other.Ranks;
  return borrowed;
}

Communicator Communicator::Borrow(MPI_Comm comm)
{
  Communicator borrowed;
  if (comm != MPI_COMM_NULL)
  {
    borrowed.Comm = comm;
    borrowed.Owned = false;
    CheckMpi(MPI_Comm_rank(comm, &borrowed.MyRank), "MPI_Comm_rank");
    CheckMpi(MPI_Comm_size(comm, &borrowed.Ranks), "MPI_Comm_size");
  }
  return borrowed;
}

Communicator::Communicator(Communicator&& other) noexcept
  : Comm(std::exchange(other.Comm, MPI_COMM_NULL))
  , Owned(std::exchange(other.Owned, true))
  , MyRank(std::exchange(other.MyRank, 0))
  , Ranks(std::exchange(other.Ranks, 1))
{
}

Communicator& Communicator::operator=(Communicator&& other) noexcept
{
  std::swap(this->Comm, other.Comm);
  std::swap(this->Owned, other.Owned);
  std::swap(this->MyRank, other.MyRank);
  std::swap(this->Ranks, other.Ranks);
  return *this;
}

Communicator::~Communicator()
{
  if (this->Comm == MPI_COMM_NULL || !this->Owned || std::uncaught_exceptions() > 0 ||
    !MpiIsAlive())
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
  if (this->Comm != MPI_COMM_NULL && this->Owned)
  {
    CheckMpi(MPI_Comm_free(&this->Comm), "MPI_Comm_free");
  }
  this->Leak();
}

void Communicator::Disconnect()
{
  if (this->Comm != MPI_COMM_NULL && this->Owned)
  {
    CheckMpi(MPI_Comm_disconnect(&this->Comm), "MPI_Comm_disconnect");
  }
  this->Leak();
}

void Communicator::Leak() noexcept
{
  this->Comm = MPI_COMM_NULL;
  this->Owned = true;
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

void Communicator::BroadcastYielding(
  void* data, std::uint64_t bytes, int root, const std::function<void()>& rest) const
{
  if (this->Comm == MPI_COMM_NULL)
  {
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  CheckMpi(
    MPI_Ibcast(data, static_cast<int>(bytes), MPI_BYTE, root, this->Comm, &request), "MPI_Ibcast");
  const auto isDone = [&request]
  {
    int done = 0;
    CheckMpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  };
  PollUntil(isDone, rest);
}

std::string Communicator::BroadcastText(const std::string& text, int root) const
{
  if (this->Comm == MPI_COMM_NULL)
  {
    return text;
  }
  std::array<char, FirstMessage> first{};
  std::uint64_t size = text.size();
  std::memcpy(first.data(), &size, sizeof size);
  std::memcpy(first.data() + sizeof size, text.data(), std::min(text.size(), FirstText));
  this->Broadcast(first.data(), first.size(), root);
  std::memcpy(&size, first.data(), sizeof size);
  std::string received(text);
  received.resize(size);
  const std::size_t there = std::min<std::size_t>(size, FirstText);
  std::memcpy(received.data(), first.data() + sizeof size, there);
  if (size > there)
  {
    this->Broadcast(received.data() + there, size - there, root);
  }
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

std::array<std::uint64_t, 2> Communicator::Max(std::array<std::uint64_t, 2> values) const
{
  Reduce(this->Comm, this->MyRank, values.data(), values.size(), MPI_UINT64_T, MPI_MAX);
  return values;
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

Totals Communicator::Combine(Totals values) const
{
  if (this->Comm == MPI_COMM_NULL)
  {
    return values;
  }
  std::vector<std::uint64_t> record;
  record.reserve(1 + values.Maxima.size() + values.Sums.size());
  record.push_back(values.Maxima.size());
  record.insert(record.end(), values.Maxima.begin(), values.Maxima.end());
  record.insert(record.end(), values.Sums.begin(), values.Sums.end());
  MPI_Datatype type = MPI_DATATYPE_NULL;
  CheckMpi(MPI_Type_contiguous(static_cast<int>(record.size()), MPI_UINT64_T, &type),
    "MPI_Type_contiguous");
  CheckMpi(MPI_Type_commit(&type), "MPI_Type_commit");
  const MPI_Op operation = CombiningOperation();
  const CollectiveWait wait("MPI_Allreduce", this->MyRank);
  const int rc = MPI_Allreduce(MPI_IN_PLACE, record.data(), 1, type, operation, this->Comm);
  MPI_Type_free(&type);
  CheckMpi(rc, "MPI_Allreduce");
  std::copy_n(record.begin() + 1, values.Maxima.size(), values.Maxima.begin());
  std::copy_n(record.end() - static_cast<std::ptrdiff_t>(values.Sums.size()), values.Sums.size(),
    values.Sums.begin());
  return values;
}

std::vector<std::uint64_t> Communicator::AllToAll(
  std::span<const std::uint64_t> mine, std::size_t width) const
{
  std::vector<std::uint64_t> theirs(mine.begin(), mine.end());
  if (this->Comm != MPI_COMM_NULL)
  {
    const CollectiveWait wait("MPI_Alltoall", this->MyRank);
    const auto count = static_cast<int>(width);
    const void* const from = mine.data();
    void* const to = theirs.data();
    CheckMpi(
      MPI_Alltoall(from, count, MPI_UINT64_T, to, count, MPI_UINT64_T, this->Comm), "MPI_Alltoall");
  }
  return theirs;
}

void Communicator::AllToAll(const Parcels& sent, const Parcels& received) const
{
  if (this->Comm == MPI_COMM_NULL)
  {
    std::memcpy(
      received.Bytes + received.Offsets.at(0), sent.Bytes + sent.Offsets.at(0), sent.Sizes.at(0));
    return;
  }
  const auto narrow = [](const std::vector<std::uint64_t>& wide)
  {
    std::vector<int> numbers;
    numbers.reserve(wide.size());
    for (const std::uint64_t number : wide)
    {
      numbers.push_back(static_cast<int>(number));
    }
    return numbers;
  };
  const CollectiveWait wait("MPI_Alltoallv", this->MyRank);
  CheckMpi(MPI_Alltoallv(sent.Bytes, narrow(sent.Sizes).data(), narrow(sent.Offsets).data(),
             MPI_BYTE, received.Bytes, narrow(received.Sizes).data(),
             narrow(received.Offsets).data(), MPI_BYTE, this->Comm),
    "MPI_Alltoallv");
}

std::string Communicator::LibraryName()
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  return NameOfLibrary({ text, static_cast<std::size_t>(std::max(length, 0)) });
}

std::string Communicator::RunningLibrary()
{
  return MpiIsAlive() ? LibraryName() : std::string();
}

}
