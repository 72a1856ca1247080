// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"

#include <cstdint>
#include <string>

namespace dsm
{

/// How bytes of a file get to where they lie, for people.
struct Way
{
  HostIndex Host = 0;
  std::uint64_t Run =
    0; ///< bytes that lie there one after the other, perhaps beyond the file's end
  std::string TransportName; ///< what carries them: "shared-memory"
};

}
