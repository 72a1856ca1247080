// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Doorbell.h"

#include "Base/Futex.h"

#include <atomic>

namespace dsm
{

Doorbell::Doorbell(std::byte* place)
  : Place(reinterpret_cast<std::uint32_t*>(place))
{
}

std::uint32_t Doorbell::Count() const
{
  return std::atomic_ref<std::uint32_t>(*this->Place).load();
}

void Doorbell::Ring() const
{
  ++std::atomic_ref<std::uint32_t>(*this->Place);
  futex::Wake(this->Place);
}

void Doorbell::Wait(std::uint32_t seen, Seconds limit) const
{
  futex::Wait(this->Place, seen, limit);
}

}
