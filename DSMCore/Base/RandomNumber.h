// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <random>

namespace dsm
{

/// A number that no other process draws, and nobody guesses: of keys and identities. Thread safe.
inline std::uint64_t RandomNumber()
{
  std::random_device random;
  return std::uint64_t{ random() } << 32 | random();
}

}
