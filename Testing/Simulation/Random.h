// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace dsm::simulation
{

/// The only source of chance in a simulation (SplitMix64). The same seed makes the same choices on
/// every machine.
class Random
{
public:
  explicit Random(std::uint64_t seed)
    : State(seed)
  {
  }

  std::uint64_t Next()
  {
    std::uint64_t mixed = this->State += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
  }

  /// A number from 0 to `end` - 1.
  std::uint64_t Below(std::uint64_t end) { return this->Next() % end; }
  std::uint64_t Between(std::uint64_t first, std::uint64_t last)
  {
    return first + this->Below(last - first + 1);
  }
  double Between(double first, double last)
  {
    return first + (last - first) * static_cast<double>(this->Next() >> 11) * 0x1p-53;
  }
  bool Chance(double probability) { return this->Between(0.0, 1.0) < probability; }

private:
  std::uint64_t State;
};

}
