// SPDX-License-Identifier: BSD-3-Clause
#include "ArrayMemory.h"

#include <algorithm>
#include <cstdlib>

#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#  include <sanitizer/asan_interface.h>
#endif

namespace dsm::readers
{

namespace
{
constexpr std::uint64_t HugePage = std::uint64_t(2) << 20;
constexpr std::uint64_t Page = 4096;

// Tells the kernel and AddressSanitizer that nobody reads a block until it is used again.
void Park(void* block, std::uint64_t size)
{
#ifdef MADV_FREE
  madvise(block, size, MADV_FREE);
#endif
#ifdef __SANITIZE_ADDRESS__
  ASAN_POISON_MEMORY_REGION(block, size);
#endif
  static_cast<void>(block);
  static_cast<void>(size);
}

void Unpark(void* block, std::uint64_t size)
{
#ifdef __SANITIZE_ADDRESS__
  ASAN_UNPOISON_MEMORY_REGION(block, size);
#endif
  static_cast<void>(block);
  static_cast<void>(size);
}

void* NewBlock(std::uint64_t size)
{
  void* block = nullptr;
  if (posix_memalign(&block, HugePage, size) != 0)
  {
    return nullptr;
  }
#ifdef MADV_HUGEPAGE
  madvise(block, size, MADV_HUGEPAGE);
#endif
  return block;
}
}

ArrayMemory::~ArrayMemory()
{
  this->Free();
}

ArrayMemory& ArrayMemory::OfProcess()
{
  static auto* const memory = new ArrayMemory;
  return *memory;
}

void ArrayMemory::BeginRead()
{
  const std::lock_guard lock(this->Mutex);
  this->PeakBefore = this->Peak;
  this->Peak = this->UsedBytes;
  this->FreeBeyond(std::max(this->Peak, this->PeakBefore));
}

void* ArrayMemory::Allocate(std::uint64_t bytes)
{
  if (bytes < LargeArray)
  {
    return nullptr;
  }
  const std::lock_guard lock(this->Mutex);
  std::uint64_t size = (bytes + Page - 1) / Page * Page;
  void* block = nullptr;
  if (const auto found = this->Find(bytes); found != this->Kept.end())
  {
    size = found->first;
    block = found->second;
    this->Kept.erase(found);
    this->AllKeptBytes -= size;
    Unpark(block, size);
  }
  else
  {
    block = NewBlock(size);
  }
  if (block)
  {
    this->Used.emplace(block, size);
    this->UsedBytes += size;
    this->Peak = std::max(this->Peak, this->UsedBytes);
    this->FreeBeyond(std::max(this->Peak, this->PeakBefore));
  }
  return block;
}

void ArrayMemory::Release(void* memory)
{
  const std::lock_guard lock(this->Mutex);
  const auto found = this->Used.find(memory);
  if (found == this->Used.end())
  {
    std::free(memory);
    return;
  }
  const std::uint64_t size = found->second;
  this->Used.erase(found);
  this->UsedBytes -= size;
  Park(memory, size);
  this->Kept.emplace(size, memory);
  this->AllKeptBytes += size;
  this->FreeBeyond(std::max(this->Peak, this->PeakBefore));
}

bool ArrayMemory::Fits(std::uint64_t bytes) const
{
  const std::lock_guard lock(this->Mutex);
  return bytes >= LargeArray && this->Find(bytes) != this->Kept.end();
}

std::uint64_t ArrayMemory::Free()
{
  const std::lock_guard lock(this->Mutex);
  const std::uint64_t before = this->AllKeptBytes;
  this->Peak = this->PeakBefore = 0;
  this->FreeBeyond(0);
  return before;
}

std::uint64_t ArrayMemory::KeptBytes() const
{
  const std::lock_guard lock(this->Mutex);
  return this->AllKeptBytes;
}

ArrayMemory::Blocks::const_iterator ArrayMemory::Find(std::uint64_t bytes) const
{
  const auto found = this->Kept.lower_bound(bytes);
  return found != this->Kept.end() && found->first - bytes <= bytes / 4 ? found : this->Kept.end();
}

// Frees kept blocks, the smallest first, until these and the ones in use have at most so many
// bytes.
void ArrayMemory::FreeBeyond(std::uint64_t bytes)
{
  while (!this->Kept.empty() && this->UsedBytes + this->AllKeptBytes > bytes)
  {
    const auto [size, block] = *this->Kept.begin();
    this->Kept.erase(this->Kept.begin());
    this->AllKeptBytes -= size;
    Unpark(block, size);
    std::free(block);
  }
}

}
