// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"

#include <hdf5.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>

/// HDF5 describes a transfer in three ways: one piece, a vector of pieces, selections of
/// dataspaces. Each function here calls visit(file address, buffer position, bytes) for every run
/// that is consecutive in both file and memory. None allocates memory in proportion to the data.
namespace dsm::transfer
{

/// A run, of which the buffer is not known.
struct TypedRun
{
  haddr_t Address = 0;
  std::int64_t Displacement = 0; ///< in the buffer
  std::uint64_t Size = 0;
};

/// Pieces in which a scalar transfer arrives: see hdf5library::CollectiveTypes. `count` counts
/// elements of the memory type; the file type repeats from `address` on for as long as needed.
/// Visits some runs at a time.
void ForEachTypedRun(MPI_Datatype memoryType, MPI_Datatype fileType, haddr_t address,
  std::uint64_t count, const std::function<void(std::span<const TypedRun>)>& visit);

/// Arrays are abbreviated: a size of 0 repeats the one before it, for all that follow.
template <typename Buffer, typename Visitor>
void ForEachOfVector(std::uint32_t count, const haddr_t* addresses, const std::size_t* sizes,
  Buffer const* buffers, Visitor&& visit)
{
  std::size_t size = 0;
  bool fixed = false;
  for (std::uint32_t i = 0; i < count; ++i)
  {
    fixed = fixed || (i > 0 && sizes[i] == 0);
    size = fixed ? size : sizes[i];
    if (size > 0)
    {
      visit(addresses[i], buffers[i], std::uint64_t{ size });
    }
  }
}

/// Walks the runs of one dataspace's selection, in batches on the stack.
class SelectionCursor
{
public:
  SelectionCursor(hid_t space, std::size_t elementSize);
  ~SelectionCursor();
  SelectionCursor(const SelectionCursor&) = delete;
  SelectionCursor& operator=(const SelectionCursor&) = delete;

  bool AtEnd() { return this->Current == this->Fetched && !this->Fetch(); }

  /// \name The rest of the current run, in bytes. Not to be used at the end.
  ///@{
  hsize_t Offset() const { return this->Offsets[this->Current]; }
  std::size_t Length() const { return this->Lengths[this->Current]; }
  void Advance(std::size_t bytes)
  {
    this->Offsets[this->Current] += bytes;
    this->Lengths[this->Current] -= bytes;
    this->Current += this->Lengths[this->Current] == 0 ? 1 : 0;
  }
  ///@}

private:
  bool Fetch();

  static constexpr std::size_t BatchSize = 256;

  hid_t Iterator = H5I_INVALID_HID;
  hsize_t Remaining = 0; ///< elements not yet fetched
  std::size_t Current = 0;
  std::size_t Fetched = 0;
  std::array<hsize_t, BatchSize> Offsets;
  std::array<std::size_t, BatchSize> Lengths;
};

/// `offsets` are where the datasets (or chunks) begin in the file. An element size of 0 and a null
/// buffer repeat the one before, for all that follow.
template <typename Buffer, typename Visitor>
void ForEachOfSelections(std::size_t count, const hid_t* memorySpaces, const hid_t* fileSpaces,
  const haddr_t* offsets, const std::size_t* elementSizes, Buffer const* buffers, Visitor&& visit)
{
  using Byte =
    std::conditional_t<std::is_const_v<std::remove_pointer_t<Buffer>>, const std::byte, std::byte>;
  std::size_t elementSize = 0;
  Byte* buffer = nullptr;
  bool fixedSize = false;
  bool fixedBuffer = false;
  for (std::size_t i = 0; i < count; ++i)
  {
    fixedSize = fixedSize || elementSizes[i] == 0;
    fixedBuffer = fixedBuffer || buffers[i] == nullptr;
    elementSize = fixedSize ? elementSize : elementSizes[i];
    buffer = fixedBuffer ? buffer : static_cast<Byte*>(buffers[i]);
    if (elementSize == 0 || !buffer)
    {
      throw Error(
        Fault::System, "HDF5 handed over a selection without an element size or a buffer");
    }
    SelectionCursor memory(memorySpaces[i], elementSize);
    SelectionCursor file(fileSpaces[i], elementSize);
    while (!memory.AtEnd() && !file.AtEnd())
    {
      const std::size_t length = std::min(memory.Length(), file.Length());
      visit(offsets[i] + file.Offset(), buffer + memory.Offset(), std::uint64_t{ length });
      memory.Advance(length);
      file.Advance(length);
    }
    if (!memory.AtEnd() || !file.AtEnd())
    {
      throw Error(
        Fault::System, "HDF5 handed over selections of different sizes in memory and in the file");
    }
  }
}

}
