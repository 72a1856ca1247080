// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/Window.h"

#include "Base/Error.h"

#include <utility>
#include <vector>

namespace dsm
{

Window Window::Create(const Communicator& comm, void* memory, std::uint64_t size)
{
  Window made;
  CheckMpi(MPI_Win_create(
             memory, static_cast<MPI_Aint>(size), 1, MPI_INFO_NULL, comm.Handle(), &made.Handle),
    "MPI_Win_create");
  CheckMpi(MPI_Win_set_errhandler(made.Handle, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  int* model = nullptr;
  int found = 0;
  CheckMpi(MPI_Win_get_attr(made.Handle, MPI_WIN_MODEL, &model, &found), "MPI_Win_get_attr");
  if (!found || *model != MPI_WIN_UNIFIED)
  {
    made.Free();
    throw Error(Fault::Unsupported,
      "{} keeps copies of a window's memory (it lacks the unified memory model), so the transport "
      "mpi-rma cannot show what was written: choose mpi-messages or fabric",
      Communicator::LibraryName());
  }
  CheckMpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, made.Handle), "MPI_Win_lock_all");
  return made;
}

Window::Window(Window&& other) noexcept
  : Handle(std::exchange(other.Handle, MPI_WIN_NULL))
{
}

Window& Window::operator=(Window&& other) noexcept
{
  std::swap(this->Handle, other.Handle);
  return *this;
}

void Window::Put(int rank, std::uint64_t offset, const void* source, std::uint64_t size)
{
  const auto count = static_cast<int>(size);
  CheckMpi(MPI_Put(source, count, MPI_BYTE, rank, static_cast<MPI_Aint>(offset), count, MPI_BYTE,
             this->Handle),
    "MPI_Put");
}

Request Window::StartPut(int rank, std::uint64_t offset, const void* source, std::uint64_t size)
{
  const auto count = static_cast<int>(size);
  MPI_Request made = MPI_REQUEST_NULL;
  CheckMpi(MPI_Rput(source, count, MPI_BYTE, rank, static_cast<MPI_Aint>(offset), count, MPI_BYTE,
             this->Handle, &made),
    "MPI_Rput");
  return Request::Adopt(made);
}

Request Window::StartGet(int rank, std::uint64_t offset, std::uint64_t size)
{
  const auto count = static_cast<int>(size);
  std::vector<std::byte> bytes(size);
  MPI_Request made = MPI_REQUEST_NULL;
  CheckMpi(MPI_Rget(bytes.data(), count, MPI_BYTE, rank, static_cast<MPI_Aint>(offset), count,
             MPI_BYTE, this->Handle, &made),
    "MPI_Rget");
  return Request::Adopt(made, std::move(bytes)); // moving keeps the bytes where they are
}

void Window::Flush(int rank)
{
  CheckMpi(MPI_Win_flush(rank, this->Handle), "MPI_Win_flush");
}

void Window::Free()
{
  if (this->Handle != MPI_WIN_NULL)
  {
    CheckMpi(MPI_Win_unlock_all(this->Handle), "MPI_Win_unlock_all");
    CheckMpi(MPI_Win_free(&this->Handle), "MPI_Win_free");
    this->Handle = MPI_WIN_NULL;
  }
}

}
