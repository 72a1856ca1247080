// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/Request.h"

#include "Mpi/Leak.h"

#include <utility>

namespace dsm
{

Request Request::Send(MPI_Comm comm, int to, int tag, const void* data, std::uint64_t size)
{
  Request made;
  CheckMpi(
    MPI_Isend(data, static_cast<int>(size), MPI_BYTE, to, tag, comm, &made.Handle), "MPI_Isend");
  made.IsMessage = true;
  return made;
}

Request Request::SendOwned(MPI_Comm comm, int to, int tag, std::vector<std::byte> data)
{
  Request made = Send(comm, to, tag, data.data(), data.size());
  made.Owned = std::move(data); // moving keeps the bytes where they are
  return made;
}

Request Request::Receive(MPI_Comm comm, int from, int tag, void* data, std::uint64_t size)
{
  Request made;
  CheckMpi(
    MPI_Irecv(data, static_cast<int>(size), MPI_BYTE, from, tag, comm, &made.Handle), "MPI_Irecv");
  made.IsMessage = true;
  return made;
}

Request Request::ReceiveOwned(MPI_Comm comm, int from, int tag, std::uint64_t size)
{
  std::vector<std::byte> bytes(size);
  Request made = Receive(comm, from, tag, bytes.data(), size);
  made.Owned = std::move(bytes);
  return made;
}

Request Request::Adopt(MPI_Request request, std::vector<std::byte> bytes)
{
  Request made;
  made.Handle = request;
  made.Owned = std::move(bytes);
  return made;
}

Request Request::Barrier(const Communicator& comm)
{
  Request made;
  CheckMpi(MPI_Ibarrier(comm.Handle(), &made.Handle), "MPI_Ibarrier");
  return made;
}

Request::Request(Request&& other) noexcept
  : Handle(std::exchange(other.Handle, MPI_REQUEST_NULL))
  , IsMessage(other.IsMessage)
  , Owned(std::move(other.Owned))
{
}

Request& Request::operator=(Request&& other) noexcept
{
  std::swap(this->Handle, other.Handle);
  std::swap(this->IsMessage, other.IsMessage);
  std::swap(this->Owned, other.Owned);
  return *this;
}

Request::~Request()
{
  if (this->Handle != MPI_REQUEST_NULL && !this->Owned.empty())
  {
    Leak(std::move(this->Owned));
  }
}

bool Request::Done()
{
  if (this->Handle == MPI_REQUEST_NULL)
  {
    return true;
  }
  int done = 0;
  CheckMpi(MPI_Test(&this->Handle, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

void Request::Cancel() noexcept
{
  if (this->IsMessage && this->Handle != MPI_REQUEST_NULL && MpiIsAlive())
  {
    MPI_Cancel(&this->Handle);
  }
}

std::optional<WaitingMessage> FindMessage(const Communicator& comm, int tag)
{
  int found = 0;
  MPI_Status status;
  CheckMpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm.Handle(), &found, &status), "MPI_Iprobe");
  if (!found)
  {
    return std::nullopt;
  }
  int count = 0;
  CheckMpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
  return WaitingMessage{ status.MPI_SOURCE, static_cast<std::uint64_t>(count) };
}

void TakeMessage(const Communicator& comm, const WaitingMessage& message, int tag, void* data)
{
  CheckMpi(MPI_Recv(data, static_cast<int>(message.Size), MPI_BYTE, message.From, tag,
             comm.Handle(), MPI_STATUS_IGNORE),
    "MPI_Recv");
}

}
