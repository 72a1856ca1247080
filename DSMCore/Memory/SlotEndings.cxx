// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/SlotEndings.h"

#include "Memory/SlotGenerations.h"

#include <atomic>

namespace dsm
{

namespace
{
// The generation, counted from one since zero is that none has ended, and the ending below it.
std::uint64_t Number(std::uint64_t generation, SlotEndings::Ending ending)
{
  return (generation + 1) << 1 | static_cast<std::uint64_t>(ending);
}
}

SlotEndings::SlotEndings(std::uint64_t slotSize, std::uint64_t slotCount)
  : Begin(SlotGenerations(slotSize, slotCount).SegmentSize())
  , Count(slotCount)
{
}

SlotEndings::Ending SlotEndings::Decide(std::byte* word, std::uint64_t generation, Ending wish)
{
  const std::atomic_ref<std::uint64_t> number(*reinterpret_cast<std::uint64_t*>(word));
  const std::uint64_t mine = generation + 1;
  std::uint64_t found = number.load();
  while (found >> 1 < mine)
  {
    if (number.compare_exchange_weak(found, Number(generation, wish)))
    {
      return wish;
    }
  }
  return found == Number(generation, Ending::Sealed) ? Ending::Sealed : Ending::GivenUp;
}

}
