// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"
#include "Mpi/Request.h"

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

  /// Copies to a rank's memory; complete after Flush, and until then `source` must stay as it is.
  /// At most Request::LargestMessage bytes at once, here and below.
  void Put(int rank, std::uint64_t offset, const void* source, std::uint64_t size);

  /// The same; when the request is done, MPI has no more need of `source`.
  Request StartPut(int rank, std::uint64_t offset, const void* source, std::uint64_t size);

  /// Copies from a rank's memory; when the request is done, it has the bytes. They come to no
  /// memory of the caller's: MPI cannot be kept from writing what nobody waits for any more.
  Request StartGet(int rank, std::uint64_t offset, std::uint64_t size);

  /// Returns when all puts to that rank are complete there. Waits without a limit: MPI has no other
  /// way to know that bytes have arrived.
  void Flush(int rank);

  /// Collective.
  void Free();

private:
  MPI_Win Handle = MPI_WIN_NULL;
};

}
