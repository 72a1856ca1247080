// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/Transfer.h"

namespace dsm::transfer
{

// A file of several ranks, whose transfers MPI types describe, cannot be opened here.
void ForEachTypedRun(MPI_Datatype, MPI_Datatype, haddr_t, std::uint64_t,
  const std::function<void(std::span<const TypedRun>)>&)
{
  throw Error(Fault::Unsupported, "this HDF5 has no collective transfers");
}

}
