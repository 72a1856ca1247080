// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace selections
{

/// Spreads the bits of a number over all of its bits (the last step of splitmix64).
inline std::uint64_t Mix(std::uint64_t value)
{
  value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
  return value ^ (value >> 31);
}

/// Random numbers that follow from a seed, the same on every machine: those of <random> are not.
class Random
{
public:
  explicit Random(std::uint64_t seed)
    : State(seed)
  {
  }

  std::uint64_t Next() { return Mix(this->State += UINT64_C(0x9e3779b97f4a7c15)); }

  /// From 0 to below - 1.
  std::uint64_t Below(std::uint64_t below) { return this->Next() % below; }

  /// From `first` to `last`, both included.
  std::uint64_t Between(std::uint64_t first, std::uint64_t last)
  {
    return first + this->Below(last - first + 1);
  }

  bool Chance(unsigned percent) { return this->Below(100) < percent; }

  template <typename T>
  const T& Of(const std::vector<T>& choices)
  {
    return choices[this->Below(choices.size())];
  }

  template <typename T>
  void Shuffle(std::vector<T>& values)
  {
    for (std::size_t i = values.size(); i > 1; --i)
    {
      std::swap(values[i - 1], values[this->Below(i)]);
    }
  }

private:
  std::uint64_t State;
};

}
