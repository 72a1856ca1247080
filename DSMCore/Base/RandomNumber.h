// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <cstdint>
#include <system_error>

#include <unistd.h>

namespace dsm
{

/// A number that no other process draws, and nobody guesses: of keys and identities. Thread safe.
inline std::uint64_t RandomNumber()
{
  // Not std::random_device, which asks the processor what it can each time: in a virtual machine
  // that takes as long as a message.
  std::uint64_t number = 0;
  if (getentropy(&number, sizeof number) != 0)
  {
    throw std::system_error(errno, std::generic_category(), "no random numbers");
  }
  return number;
}

}
