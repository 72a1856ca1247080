// SPDX-License-Identifier: BSD-3-Clause
#include "Encoding/CborCursor.h"

#include "Encoding/Bounds.h"

#include <array>

namespace dsm
{

bool CborCursor::Skip(int deepest)
{
  struct Container
  {
    std::uint64_t Missing; // items; of a map, a name when their number is even
    bool IsMap;
  };
  std::array<Container, DeepestNesting> open; // most values need none of it: it is not cleared
  int depth = 0;
  do
  {
    CborHead head;
    if (!this->Read(head))
    {
      return false;
    }
    if (depth > 0)
    {
      Container& in = open[depth - 1];
      if (in.IsMap && in.Missing % 2 == 0 && head.Type != CborType::Text)
      {
        return false;
      }
      --in.Missing;
    }
    if (head.Type == CborType::Text || head.Type == CborType::Bytes)
    {
      this->Take(head.Argument);
    }
    else if (head.Type == CborType::List || head.Type == CborType::Map)
    {
      if (depth == deepest)
      {
        return false;
      }
      const bool isMap = head.Type == CborType::Map;
      open[depth++] = { isMap ? 2 * head.Argument : head.Argument, isMap };
    }
    while (depth > 0 && open[depth - 1].Missing == 0)
    {
      --depth;
    }
  } while (depth > 0);
  return true;
}

}
