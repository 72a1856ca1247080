// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/RandomBlock/Shuffle.h"

#include <algorithm>

namespace dsm
{

namespace
{
constexpr std::uint64_t Steps = 12;

constexpr std::uint64_t Golden = UINT64_C(0x9e3779b97f4a7c15);
constexpr std::uint64_t FirstFactor = UINT64_C(0xbf58476d1ce4e5b9);
constexpr std::uint64_t SecondFactor = UINT64_C(0x94d049bb133111eb);

// SplitMix64's finalizer, "variant 13".
constexpr std::uint64_t Mix(std::uint64_t z)
{
  z = (z ^ (z >> 30)) * FirstFactor;
  z = (z ^ (z >> 27)) * SecondFactor;
  return z ^ (z >> 31);
}
}

Shuffle::Shuffle(std::uint64_t size, std::uint64_t seed)
  : Size(size)
  , Base(Mix(seed + Golden))
{
}

std::uint64_t Shuffle::Stream(std::uint64_t round) const
{
  return Mix(this->Base + round * Golden);
}

std::uint64_t Shuffle::Step(std::uint64_t draw, std::uint64_t number) const
{
  // The upper half scaled to [0, n), which costs no division.
  const std::uint64_t sum = ((draw >> 32) * this->Size) >> 32;
  const std::uint64_t partner = sum >= number ? sum - number : sum + this->Size - number;
  std::uint64_t coin = (draw ^ std::max(number, partner)) * FirstFactor;
  coin = (coin ^ (coin >> 32)) * SecondFactor;
  return coin >> 63 ? partner : number;
}

std::uint64_t Shuffle::At(std::uint64_t round, std::uint64_t position) const
{
  const std::uint64_t stream = this->Stream(round);
  for (std::uint64_t step = 1; step <= Steps; ++step)
  {
    position = this->Step(Mix(stream + step * Golden), position);
  }
  return position;
}

std::uint64_t Shuffle::PositionOf(std::uint64_t round, std::uint64_t value) const
{
  const std::uint64_t stream = this->Stream(round);
  for (std::uint64_t step = Steps; step > 0; --step)
  {
    value = this->Step(Mix(stream + step * Golden), value);
  }
  return value;
}

}
