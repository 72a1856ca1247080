// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/OwnPart.h"

#include "Describe/Check.h"

#include <algorithm>

namespace dsm::describe
{

namespace
{
void Resize(Source& source, const PerAxis& counts, std::uint64_t firstElement)
{
  auto* stored = std::get_if<Stored>(&source.From);
  std::uint64_t elements = 1;
  for (Dimension& dimension : source.Dimensions)
  {
    if (IsSpatial(dimension.Is))
    {
      const std::uint64_t more = std::max(dimension.Of, dimension.Count) - dimension.Count;
      dimension.Count = counts.at(AxisOf(dimension.Is));
      dimension.Of = more == 0 ? 0 : dimension.Count + more;
    }
    elements *= std::max(dimension.Of, dimension.Count);
  }
  if (stored && stored->FlatFrom)
  {
    stored->FlatFrom = *stored->FlatFrom + firstElement + stored->Plane * elements;
    stored->Plane = 0;
  }
}
}

bool HasOwnBlocks(const Part& part)
{
  return !part.Blocks.empty() && part.Blocks.front().Points;
}

Part OwnPart(const Part& part, const Block& block)
{
  Part own = part;
  own.Blocks.clear();
  Uniform on;
  on.Points = block.Points.value_or(PointsOf(part.On));
  on.Origin = block.Origin;
  on.Spacing = block.Spacing;
  own.On = on;
  own.Level = block.Level;
  own.Covered = block.Covered;
  for (Array& array : own.Arrays)
  {
    for (Source& source : array.Sources)
    {
      Resize(source, array.On == Centring::Cell ? CellsOf(own.On) : on.Points, block.FirstElement);
    }
  }
  return own;
}

}
