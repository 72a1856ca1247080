// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/SlotGenerations.h"

#include <atomic>

namespace dsm
{

std::uint64_t SlotGenerations::Load(const std::byte* word)
{
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // atomic_ref of a const object comes with C++26.
  auto* number = reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(word));
  return std::atomic_ref<std::uint64_t>(*number).load(std::memory_order_seq_cst);
}

void SlotGenerations::Raise(std::byte* word, std::uint64_t generation)
{
  const std::atomic_ref<std::uint64_t> number(*reinterpret_cast<std::uint64_t*>(word));
  if (number.load() < generation)
  {
    number.store(generation);
  }
  // Also before stores that go past the caches.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}
