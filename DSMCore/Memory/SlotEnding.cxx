// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/SlotEnding.h"

namespace dsm
{

namespace
{
// The generation, counted from one since zero is that none has ended, and the ending below it.
std::uint64_t Encoded(std::uint64_t generation, SlotEnding::Kind ending)
{
  return (generation + 1) << 1 | static_cast<std::uint64_t>(ending);
}
}

SlotEnding::Kind SlotEnding::Decide(std::uint64_t generation, Kind wish) const
{
  std::uint64_t found = this->Number.Load();
  while (found >> 1 < generation + 1)
  {
    if (this->Number.Replace(found, Encoded(generation, wish)))
    {
      return wish;
    }
  }
  return found == Encoded(generation, Kind::Sealed) ? Kind::Sealed : Kind::GivenUp;
}

}
