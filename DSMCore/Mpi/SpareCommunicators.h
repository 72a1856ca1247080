// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"

#include <cstdint>

namespace dsm
{

/// The communicators of files that are closed, which this process keeps for the next files of the
/// same ranks. MPI_Comm_dup lets ranks agree on a new context several times, which takes a tenth of
/// the time of a small file.
///
/// Each kept communicator has a number that is the same on all its ranks. One rank looks for a
/// number (Find) and sends it to the others, so that no two ranks take different communicators.
/// MPI_Finalize begins with the end of all that are kept. Thread safe.
class SpareCommunicators
{
public:
  /// Returns the number of a kept communicator with the ranks of `ranks` in the same order, or 0 if
  /// this process keeps none. Local.
  static std::uint64_t Find(const Communicator& ranks);

  /// Returns the communicator of that number, which is not kept any more. Throws Error(System) if
  /// this process does not keep it. Local.
  static Communicator Take(std::uint64_t number);

  /// Returns true if this process may keep one more, and this one: MPI libraries have few
  /// communicators, and one that leads to another job would keep that job waiting at its end.
  /// Local, so the ranks agree before they keep it.
  static bool MayKeep(const Communicator& communicator) noexcept;

  /// Keeps a communicator under a number. All its ranks call this, each after the same collective
  /// calls.
  static void Keep(std::uint64_t number, Communicator communicator) noexcept;
};

}
