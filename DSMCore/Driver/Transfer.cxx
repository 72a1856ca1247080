// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/Transfer.h"

#include "Mpi/DatatypeFlatten.h"

namespace dsm::transfer
{

void ForEachTypedRun(MPI_Datatype memoryType, MPI_Datatype fileType, haddr_t address,
  std::uint64_t count, const std::function<void(haddr_t, std::int64_t, std::uint64_t)>& visit)
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
  ForEachMatchedRun(file, memory,
    [&](std::int64_t inFile, std::int64_t inMemory, std::uint64_t length)
    { visit(address + static_cast<haddr_t>(inFile), inMemory, length); });
}

SelectionCursor::SelectionCursor(hid_t space, std::size_t elementSize)
{
  const hssize_t elements = H5Sget_select_npoints(space);
  if (elements < 0)
  {
    throw Error(Fault::System, "HDF5 cannot count the elements of a selection");
  }
  this->Remaining = static_cast<hsize_t>(elements);
  this->Iterator = H5Ssel_iter_create(space, elementSize, H5S_SEL_ITER_SHARE_WITH_DATASPACE);
  if (this->Iterator < 0)
  {
    throw Error(Fault::System, "HDF5 cannot walk a selection");
  }
}

SelectionCursor::~SelectionCursor()
{
  H5Ssel_iter_close(this->Iterator);
}

bool SelectionCursor::AtEnd()
{
  if (this->Current < this->Fetched)
  {
    return false;
  }
  if (this->Remaining == 0)
  {
    return true;
  }
  std::size_t elements = 0;
  this->Current = 0;
  if (H5Ssel_iter_get_seq_list(this->Iterator, BatchSize, this->Remaining, &this->Fetched,
        &elements, this->Offsets.data(), this->Lengths.data()) < 0 ||
    this->Fetched == 0)
  {
    throw Error(
      Fault::System, "HDF5 cannot walk a selection: {} of its elements are left", this->Remaining);
  }
  this->Remaining -= elements;
  return false;
}

void SelectionCursor::Advance(std::size_t bytes)
{
  this->Offsets[this->Current] += bytes;
  this->Lengths[this->Current] -= bytes;
  if (this->Lengths[this->Current] == 0)
  {
    ++this->Current;
  }
}

}
