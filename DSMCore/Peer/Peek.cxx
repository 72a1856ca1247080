// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/Peek.h"

namespace dsm
{

namespace
{
thread_local int Depth = 0;
}

Peek::Peek()
{
  ++Depth;
}

Peek::~Peek()
{
  --Depth;
}

bool Peek::Active()
{
  return Depth > 0;
}

}
