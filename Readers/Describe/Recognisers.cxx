// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Recognisers.h"

#include "Describe/DimensionScales.h"

namespace dsm::describe
{

namespace
{
// Those that are surest first.
constexpr Recogniser Recognisers[] = {
  RecogniseDimensionScales,
};
}

std::optional<Description> RecogniseAny(const Asked& asked)
{
  for (const Recogniser recognise : Recognisers)
  {
    if (auto found = recognise(asked))
    {
      return found;
    }
  }
  return std::nullopt;
}

}
