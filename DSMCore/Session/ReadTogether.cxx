// SPDX-License-Identifier: BSD-3-Clause
#include "Session/ReadTogether.h"

#include <utility>

namespace dsm
{

namespace
{
thread_local const ReadTogether* Innermost = nullptr;
}

ReadTogether::ReadTogether(std::string viewer, std::uint64_t ranks)
  : Name(std::move(viewer))
  , Count(ranks)
  , Outer(Innermost)
{
  Innermost = this;
}

ReadTogether::~ReadTogether()
{
  Innermost = this->Outer;
}

const ReadTogether* ReadTogether::Active()
{
  return Innermost && Innermost->Count > 1 ? Innermost : nullptr;
}

}
