// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/SharedNumber.h"

#include <atomic>

namespace dsm
{

SharedNumber::SharedNumber(std::byte* place)
  : Place(reinterpret_cast<std::uint64_t*>(place))
{
}

std::uint64_t SharedNumber::Load() const
{
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return std::atomic_ref<std::uint64_t>(*this->Place).load();
}

std::uint64_t SharedNumber::Glance() const
{
  return std::atomic_ref<std::uint64_t>(*this->Place).load(std::memory_order_relaxed);
}

void SharedNumber::Store(std::uint64_t number) const
{
  std::atomic_ref<std::uint64_t>(*this->Place).store(number);
  // Also before stores that go past the caches.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void SharedNumber::Raise(std::uint64_t number) const
{
  if (this->Load() < number)
  {
    this->Store(number);
  }
}

bool SharedNumber::Replace(std::uint64_t& expected, std::uint64_t wanted) const
{
  return std::atomic_ref<std::uint64_t>(*this->Place).compare_exchange_weak(expected, wanted);
}

}
