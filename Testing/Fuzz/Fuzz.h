// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

/// What the targets share. Each target is one file that defines this function: it takes any bytes,
/// and ends the process when something is not as it must be.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace dsm::fuzz
{

/// Ends the process, which is how a target tells of a fault.
inline void Require(bool holds, const char* what)
{
  if (!holds)
  {
    std::fprintf(stderr, "not so: %s\n", what);
    std::abort();
  }
}

/// Whether `work` went well; an Error is an answer, and any other exception a fault.
template <typename Work>
bool Accepted(const Work& work)
{
  try
  {
    work();
    return true;
  }
  catch (const Error&)
  {
    return false;
  }
}

/// Numbers out of an input, for targets whose input is no text or message. All are 0 behind its
/// end.
class Numbers
{
public:
  Numbers(const std::uint8_t* data, std::size_t size)
    : Next(data)
    , End(data + size)
  {
  }

  bool AtEnd() const { return this->Next == this->End; }

  /// A number of that many bytes.
  std::uint64_t OfBytes(int bytes)
  {
    std::uint64_t number = 0;
    for (int i = 0; i < bytes; ++i)
    {
      number = number << 8 | (this->AtEnd() ? 0 : *this->Next++);
    }
    return number;
  }

  /// From `least` to `most`, of two bytes.
  std::uint64_t Within(std::uint64_t least, std::uint64_t most)
  {
    return least + this->OfBytes(2) % (most - least + 1);
  }

  /// Of any size: how many bytes it has comes first.
  std::uint64_t OfAnySize() { return this->OfBytes(static_cast<int>(this->OfBytes(1) % 9)); }

private:
  const std::uint8_t* Next;
  const std::uint8_t* End;
};

}
