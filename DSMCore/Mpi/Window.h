// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"

#include <cstdint>

namespace dsm
{

/// Memory that the ranks of a communicator open to each other: an MPI window over memory that was
/// there before, used with passive target, in bytes and 64-bit sizes. Move-only. The destructor
/// lets the handle go: MPI_Win_free is collective, so it has to be asked for.
class Window
{
public:
  Window() = default;

  /// Collective: each rank opens `size` bytes, which may be 0, and may then use all the others'.
  /// Throws Error(Unsupported) where MPI keeps copies of a window (no unified memory model).
  static Window Create(const Communicator& comm, void* memory, std::uint64_t size);

  Window(Window&& other) noexcept;
  Window& operator=(Window&& other) noexcept;
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Copy between here and a rank's memory; complete after Flush. The local bytes must stay.
  void Put(int rank, std::uint64_t offset, const void* source, std::uint64_t size);
  void Get(int rank, std::uint64_t offset, void* destination, std::uint64_t size);

  /// Returns when all of ours to and from that rank is complete, here and there.
  void Flush(int rank);

  /// Collective.
  void Free();

private:
  MPI_Win Handle = MPI_WIN_NULL;
};

}
