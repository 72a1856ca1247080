// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"

#include <cstdint>
#include <string>

namespace dsm
{

/// The error of a process that its node cannot give memory.
class MemoryLack final : public Error
{
public:
  /// `bytes`: the number of missing bytes, at least 1.
  MemoryLack(std::uint64_t bytes, const std::string& text)
    : Error(Fault::System, text)
    , Missing(bytes)
  {
  }

  std::uint64_t Bytes() const { return this->Missing; }

private:
  std::uint64_t Missing;
};

}
