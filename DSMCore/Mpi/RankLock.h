// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Mpi/Communicator.h"

#include <cstdint>

namespace dsm
{

/// A lock of the ranks of a communicator: many at once to read or one to write, in the order in
/// which they come. Three numbers in the memory of rank 0 are all it takes:
///
///     next     the ticket that whoever comes takes with him, one each
///     reading  who has this ticket and wants to read may go in, and lets the next in behind him
///     writing  who has this ticket and wants to write may go in
///
/// A reader that leaves counts `writing` on; a writer counts both. Where all ranks share a node's
/// memory they count there, with atomic operations. Else they do with MPI's: then rank 0 may have
/// to be within MPI for others to get on, as the MPI library has it.
///
/// Move-only. The destructor lets the window go: MPI_Win_free is collective, so it has to be asked
/// for. Not thread safe.
class RankLock
{
public:
  /// Where the numbers are: `Messages` has MPI count them also where memory is shared.
  enum class Way
  {
    Automatic,
    Messages
  };

  /// Collective. The communicator must outlive the lock. Throws Error(System) with MPI's reason.
  explicit RankLock(const Communicator& ranks, Way way = Way::Automatic);
  RankLock(const RankLock&) = delete;
  RankLock& operator=(const RankLock&) = delete;

  /// Waits until this rank may go in. Throws Error(TimedOut) when nobody has gone in or out for
  /// `limit`: somebody has been in for so long, or ended there. The lock is of no use then.
  void Lock(bool toWrite, Seconds limit);
  void Unlock(bool toWrite);

  /// Collective: frees it.
  void Free();

  /// "shared memory" or "MPI", for people.
  const char* Where() const { return this->Shared ? "shared memory" : "MPI"; }

private:
  enum Number
  {
    Next,
    Reading,
    Writing,
    Count
  };
  std::uint64_t Add(Number number, std::uint64_t value);
  std::uint64_t Read(Number number) { return this->Add(number, 0); }

  const Communicator& Ranks;
  MPI_Win Handle = MPI_WIN_NULL;
  std::uint64_t* Shared = nullptr; ///< the numbers, where this rank maps them
};

}
