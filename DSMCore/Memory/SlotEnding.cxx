// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/SlotEnding.h"

#include <initializer_list>

namespace dsm
{

namespace
{
constexpr int KindBits = 2;

// The generation, counted from one since zero is that none has ended, and the ending below it.
std::uint64_t Encoded(std::uint64_t generation, SlotEnding::Kind ending)
{
  return (generation + 1) << KindBits | static_cast<std::uint64_t>(ending);
}
}

SlotEnding::Kind SlotEnding::Decide(std::uint64_t generation, Kind wish) const
{
  return this->End(generation, wish, false);
}

SlotEnding::Kind SlotEnding::Undertake(std::uint64_t generation, Kind wish) const
{
  return this->End(generation, wish, true);
}

bool SlotEnding::HasEnded(std::uint64_t generation) const
{
  return this->Number.Load() >> KindBits >= generation + 1;
}

bool SlotEnding::IsAlone(std::uint64_t generation) const
{
  const std::uint64_t found = this->Number.Load();
  const std::uint64_t next = found >> KindBits; // generation, as Encoded counts
  return next > generation && found == Encoded(next - 1, Kind::Alone);
}

// `sealedToo`: one that was sealed can still get another ending.
SlotEnding::Kind SlotEnding::End(std::uint64_t generation, Kind wish, bool sealedToo) const
{
  std::uint64_t found = this->Number.Load();
  while (
    found >> KindBits < generation + 1 || (sealedToo && found == Encoded(generation, Kind::Sealed)))
  {
    if (this->Number.Replace(found, Encoded(generation, wish)))
    {
      return wish;
    }
  }
  for (const Kind ending : { Kind::Sealed, Kind::Kept })
  {
    if (found == Encoded(generation, ending))
    {
      return ending;
    }
  }
  return Kind::GivenUp;
}

}
