// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace dsm::readers
{

/// Keeps the memory of large arrays that VTK has released, for the arrays of the next snapshot. A
/// new page costs the kernel as long as copying into it, and each snapshot has arrays of the same
/// sizes as the one before.
///
/// Arrays in use and blocks that are kept never take more together than the arrays in use did at
/// their peak since the read before the last one began. So a filter that holds an older array, or a
/// second reader of such arrays, needs no setting, and memory that two reads did not need is freed.
///
/// The kernel may take the pages of blocks that are kept if memory is short (MADV_FREE). All
/// functions may be called from any thread.
class ArrayMemory
{
public:
  /// Smaller arrays are left to VTK.
  static constexpr std::uint64_t LargeArray = std::uint64_t(4) << 20;

  ArrayMemory() = default;
  ~ArrayMemory();
  ArrayMemory(const ArrayMemory&) = delete;
  ArrayMemory& operator=(const ArrayMemory&) = delete;

  /// Returns the memory of this process's readers. It is never destroyed, since VTK may delete
  /// arrays after static destructors have run.
  static ArrayMemory& OfProcess();

  /// Begins a read of a snapshot: frees blocks beyond what the last two reads needed.
  void BeginRead();

  /// Returns memory of at least this size: a block that is kept and at most a quarter larger, else
  /// new memory in huge pages. Returns null for small arrays, and if there is no memory.
  void* Allocate(std::uint64_t bytes);

  /// Takes back a block that Allocate returned, and keeps or frees it. Other memory was allocated
  /// by malloc, since vtkBuffer keeps its free function when it allocates anew. It is freed.
  void Release(void* memory);

  /// Returns whether Allocate would return a block that is kept.
  bool Fits(std::uint64_t bytes) const;

  /// Frees all blocks that are kept, and all that are in use as soon as they are released, until an
  /// array is allocated. Returns the number of bytes freed.
  std::uint64_t Free();

  /// Returns the bytes of blocks that are kept.
  std::uint64_t KeptBytes() const;

private:
  using Blocks = std::multimap<std::uint64_t, void*>;

  Blocks::const_iterator Find(std::uint64_t bytes) const;
  void FreeBeyond(std::uint64_t bytes);

  mutable std::mutex Mutex;
  std::map<void*, std::uint64_t> Used;
  Blocks Kept; ///< by size
  std::uint64_t UsedBytes = 0;
  std::uint64_t AllKeptBytes = 0;
  std::uint64_t Peak = 0; ///< of UsedBytes since the last read began
  std::uint64_t PeakBefore = 0;
};

}
