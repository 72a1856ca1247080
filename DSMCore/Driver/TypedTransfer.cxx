// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/Transfer.h"

#include "Mpi/DatatypeFlatten.h"

namespace dsm::transfer
{

void ForEachTypedRun(MPI_Datatype memoryType, MPI_Datatype fileType, haddr_t address,
  std::uint64_t count, const std::function<void(std::span<const TypedRun>)>& visit)
{
  const FlatDatatype memory(memoryType, count);
  const std::uint64_t tile = FlatDatatype(fileType, 1).Size();
  if (memory.Size() == 0)
  {
    return;
  }
  if (tile == 0)
  {
    throw Error(Fault::System, "HDF5 handed over a transfer of {} bytes to no place in the file",
      memory.Size());
  }
  const FlatDatatype file(fileType, (memory.Size() + tile - 1) / tile);
  std::array<TypedRun, 256> runs;
  std::size_t found = 0;
  ForEachMatchedRun(file, memory,
    [&](std::int64_t inFile, std::int64_t inMemory, std::uint64_t length)
    {
      runs[found++] = { address + static_cast<haddr_t>(inFile), inMemory, length };
      if (found == runs.size())
      {
        visit(runs);
        found = 0;
      }
    });
  visit(std::span(runs).first(found));
}

}
