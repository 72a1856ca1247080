// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Repack/Boxes.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace dsm::repack
{

namespace
{
constexpr std::uint64_t LargestChunk = UINT64_C(1) << 20;

hsize_t Product(const Place& sizes)
{
  return std::accumulate(sizes.begin(), sizes.end(), hsize_t{ 1 }, std::multiplies<>());
}

hsize_t UnitsIn(hsize_t length, hsize_t unit)
{
  return (length + unit - 1) / unit;
}
}

bool Box::IsEmpty() const
{
  return this->Values() == 0;
}

hsize_t Box::Values() const
{
  return Product(this->Count);
}

bool Box::Contains(const Place& place) const
{
  for (std::size_t i = 0; i < place.size(); ++i)
  {
    if (place[i] < this->Start[i] || place[i] - this->Start[i] >= this->Count[i])
    {
      return false;
    }
  }
  return true;
}

std::size_t DividedDimension(const Place& extent, const Place& unit)
{
  for (std::size_t i = 0; i < extent.size(); ++i)
  {
    if (extent[i] > unit[i])
    {
      return i;
    }
  }
  return 0;
}

Box BoxOfPart(const Place& extent, const Place& unit, std::uint64_t part, std::uint64_t parts)
{
  Box box{ Place(extent.size()), extent };
  const std::size_t divided = DividedDimension(extent, unit);
  const hsize_t units = UnitsIn(extent[divided], unit[divided]);
  const auto begin = [&](std::uint64_t number)
  {
    // The first parts have one more.
    const hsize_t before = units / parts * number + std::min<hsize_t>(units % parts, number);
    return std::min(before * unit[divided], extent[divided]);
  };
  box.Start[divided] = begin(part);
  box.Count[divided] = begin(part + 1) - begin(part);
  return box;
}

Place ChunkFor(const Place& extent, std::uint64_t valueSize)
{
  Place chunk(extent.size(), 1);
  hsize_t room = std::max<hsize_t>(LargestChunk / valueSize, 1);
  for (std::size_t i = extent.size(); i-- > 0 && room > 1;)
  {
    chunk[i] = std::min(extent[i], room);
    room /= chunk[i];
  }
  return chunk;
}

void ForEachPiece(const Box& box, const Place& unit, std::uint64_t valueSize, std::uint64_t limit,
  const std::function<void(const Box&)>& visit)
{
  if (box.IsEmpty())
  {
    return;
  }
  const std::size_t rank = unit.size();
  Place step(unit);
  for (std::size_t i = rank; i-- > 0;)
  {
    const hsize_t fits = std::max<hsize_t>(limit / (Product(step) * valueSize), 1);
    const hsize_t units = UnitsIn(box.Count[i], unit[i]);
    step[i] = unit[i] * std::min(fits, units);
    if (fits < units)
    {
      break;
    }
  }
  Place at(rank);
  for (bool more = true; more;)
  {
    Box piece{ box.Start, Place(rank) };
    for (std::size_t i = 0; i < rank; ++i)
    {
      piece.Start[i] += at[i];
      piece.Count[i] = std::min(step[i], box.Count[i] - at[i]);
    }
    visit(piece);
    more = false;
    for (std::size_t i = rank; i-- > 0 && !more;)
    {
      at[i] += step[i];
      more = at[i] < box.Count[i];
      at[i] = more ? at[i] : 0;
    }
  }
}

}
