// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"
#include "Protocol/Descriptions.h"

#include <cstdint>

namespace dsm
{

/// A report of an image that one rank has written, or all ranks together.
///
/// MPI combines the reports of all ranks as numbers: the bytes' sums, and the maxima of the rest.
struct WriteReport
{
  WriteStatistics Statistics;
  bool Changed = true;     ///< by any rank
  bool Finished = true;    ///< HDF5 has finished the file, on all ranks
  std::uint64_t Reach = 0; ///< end of the highest byte that was written
  /// A number that stands for the objects that a rank has created, in their order.
  std::uint64_t Objects = 0;
  bool KeepsRanks = false;    ///< all ranks may keep the file's communicator (SpareCommunicators)
  bool ObjectsDiffer = false; ///< the ranks have created different ones

  Totals ToTotals() const;
  static WriteReport FromTotals(const Totals& totals);
};

}
