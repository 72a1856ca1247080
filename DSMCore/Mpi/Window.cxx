// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/Window.h"

#include "Base/Error.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dsm
{

namespace
{
/// An MPI type of bytes in several places: those of pieces in memory, counted from the lowest, or
/// in the window. Most pieces are those of a regular selection, which one vector describes.
class PiecesType
{
public:
  template <typename Piece, typename Where>
  PiecesType(std::span<const Piece> pieces, const Where& where)
  {
    const std::uint64_t size = pieces.front().Size;
    const MPI_Aint first = where(pieces.front());
    const MPI_Aint stride = pieces.size() > 1 ? where(pieces[1]) - first : 0;
    // Open MPI's windows get what lies below a type's first byte from elsewhere.
    bool regular = stride >= 0;
    std::vector<int> sizes(pieces.size());
    std::vector<MPI_Aint> places(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i)
    {
      sizes[i] = static_cast<int>(pieces[i].Size);
      places[i] = where(pieces[i]);
      regular =
        regular && pieces[i].Size == size && places[i] == first + static_cast<MPI_Aint>(i) * stride;
    }
    const auto count = static_cast<int>(pieces.size());
    if (regular)
    {
      CheckMpi(
        MPI_Type_create_hvector(count, static_cast<int>(size), stride, MPI_BYTE, &this->Handle),
        "MPI_Type_create_hvector");
      this->Offset = first;
    }
    else
    {
      CheckMpi(
        MPI_Type_create_hindexed(count, sizes.data(), places.data(), MPI_BYTE, &this->Handle),
        "MPI_Type_create_hindexed");
    }
    CheckMpi(MPI_Type_commit(&this->Handle), "MPI_Type_commit");
  }
  PiecesType(const PiecesType&) = delete;
  PiecesType& operator=(const PiecesType&) = delete;
  // What is under way with it goes on.
  ~PiecesType() { MPI_Type_free(&this->Handle); }

  MPI_Datatype Handle = MPI_DATATYPE_NULL;
  MPI_Aint Offset = 0; ///< of the type's beginning
};

// From the lowest address on, for the same reason.
template <typename Piece>
auto Lowest(std::span<const Piece> pieces)
{
  const auto lowest = std::min_element(pieces.begin(), pieces.end(),
    [](const Piece& one, const Piece& other) { return one.Memory < other.Memory; });
  return lowest->Memory;
}

template <typename Piece>
PiecesType InMemory(std::span<const Piece> pieces)
{
  const auto* const lowest = Lowest(pieces);
  return PiecesType(
    pieces, [lowest](const Piece& piece) { return static_cast<MPI_Aint>(piece.Memory - lowest); });
}

template <typename Piece>
PiecesType InWindow(std::span<const Piece> pieces)
{
  return PiecesType(pieces, [](const Piece& piece) { return static_cast<MPI_Aint>(piece.Place); });
}
}

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

Request Window::StartGet(int rank, std::uint64_t offset, void* destination, std::uint64_t size)
{
  const auto count = static_cast<int>(size);
  MPI_Request made = MPI_REQUEST_NULL;
  CheckMpi(MPI_Rget(destination, count, MPI_BYTE, rank, static_cast<MPI_Aint>(offset), count,
             MPI_BYTE, this->Handle, &made),
    "MPI_Rget");
  return Request::Adopt(made);
}

Request Window::StartPut(int rank, std::span<const PutPiece> pieces)
{
  const PiecesType here = InMemory(pieces);
  const PiecesType there = InWindow(pieces);
  MPI_Request made = MPI_REQUEST_NULL;
  CheckMpi(MPI_Rput(Lowest(pieces) + here.Offset, 1, here.Handle, rank, there.Offset, 1,
             there.Handle, this->Handle, &made),
    "MPI_Rput");
  return Request::Adopt(made);
}

Request Window::StartGet(int rank, std::span<const GetPiece> pieces)
{
  const PiecesType here = InMemory(pieces);
  const PiecesType there = InWindow(pieces);
  MPI_Request made = MPI_REQUEST_NULL;
  CheckMpi(MPI_Rget(Lowest(pieces) + here.Offset, 1, here.Handle, rank, there.Offset, 1,
             there.Handle, this->Handle, &made),
    "MPI_Rget");
  return Request::Adopt(made);
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
