// SPDX-License-Identifier: BSD-3-Clause
#include "SelectionMaker.h"

#include <algorithm>
#include <numeric>

namespace selections
{

namespace
{

constexpr hsize_t MostPoints = 60;

Selection OfSlab(const Place& extent, const Slab& slab)
{
  return { Selection::Kind::Slabs, extent, { { H5S_SELECT_SET, slab } }, {} };
}

Selection Nothing(const Place& extent)
{
  return { Selection::Kind::None, extent, {}, {} };
}

}

// Blocks of [begin, end), which is not empty.
Slab SelectionMaker::AnySlab(const Place& begin, const Place& end)
{
  Slab slab = Slab::Box(begin, end);
  for (std::size_t d = 0; d < begin.size(); ++d)
  {
    const hsize_t size = end[d] - begin[d];
    const hsize_t most = this->Numbers.Chance(30) ? size : std::min<hsize_t>(size, 3);
    slab.Block[d] = this->Numbers.Between(1, most);
    slab.Stride[d] = slab.Block[d] + this->Numbers.Below(4);
    const hsize_t room = size - slab.Block[d];
    const hsize_t start = this->Numbers.Chance(30) ? 0 : this->Numbers.Between(0, room);
    slab.Start[d] = begin[d] + start;
    const hsize_t fit = (room - start) / slab.Stride[d] + 1;
    slab.Count[d] = this->Numbers.Chance(50) ? fit : this->Numbers.Between(1, fit);
  }
  return slab;
}

// One to four slabs, by any operations.
Selection SelectionMaker::Combined(const Place& extent)
{
  static const std::vector<H5S_seloper_t> operations{ H5S_SELECT_OR, H5S_SELECT_OR, H5S_SELECT_XOR,
    H5S_SELECT_AND, H5S_SELECT_NOTA, H5S_SELECT_NOTB };
  const Place origin(extent.size(), 0);
  Selection made = OfSlab(extent, this->AnySlab(origin, extent));
  for (std::uint64_t more = this->Numbers.Below(4); more > 0; --more)
  {
    made.Terms.push_back({ this->Numbers.Of(operations), this->AnySlab(origin, extent) });
  }
  return made;
}

Selection SelectionMaker::SomePoints(const std::vector<hsize_t>& of, const Place& extent)
{
  Selection made{ Selection::Kind::Points, extent, {}, of };
  this->Numbers.Shuffle(made.Points);
  if (!made.Points.empty())
  {
    made.Points.resize(this->Numbers.Between(1, std::min<hsize_t>(made.Points.size(), MostPoints)));
  }
  return made.Points.empty() ? Nothing(extent) : made;
}

Selection SelectionMaker::Any(const Place& extent)
{
  const std::uint64_t kind = this->Numbers.Below(10);
  if (kind == 0)
  {
    return Nothing(extent);
  }
  const Selection all{ Selection::Kind::All, extent, {}, {} };
  if (kind == 1)
  {
    return all;
  }
  if (kind < 4)
  {
    return this->SomePoints(all.Elements(), extent);
  }
  return this->Combined(extent);
}

// Some of a rank's region. `isBox`: the region has no gaps.
Selection SelectionMaker::Within(const Slab& region, bool isBox, const Place& extent)
{
  const Selection whole = OfSlab(extent, region);
  switch (this->Numbers.Below(7))
  {
    case 0:
      return Nothing(extent);
    case 1:
      return this->SomePoints(whole.Elements(), extent);
    case 2:
    {
      Selection made = this->Combined(extent);
      made.Terms.push_back({ H5S_SELECT_AND, region });
      return made;
    }
    case 3:
    {
      Selection made = whole;
      made.Terms.push_back({ this->Numbers.Chance(50) ? H5S_SELECT_NOTB : H5S_SELECT_AND,
        this->AnySlab(Place(extent.size(), 0), extent) });
      return made;
    }
    case 4:
      if (isBox)
      {
        Place end = region.Start;
        for (std::size_t d = 0; d < end.size(); ++d)
        {
          end[d] += region.Block[d];
        }
        return OfSlab(extent, this->AnySlab(region.Start, end));
      }
      return whole;
    default:
      return whole;
  }
}

std::vector<Selection> SelectionMaker::Disjoint(const Place& extent, int ranks)
{
  const auto count = static_cast<std::size_t>(ranks);
  std::vector<Selection> made(count, Nothing(extent));
  const Place origin(extent.size(), 0);
  const std::uint64_t way = this->Numbers.Below(10);
  if (way == 0)
  {
    // One rank has it all.
    Selection& mine = made[this->Numbers.Below(count)];
    mine = this->Numbers.Chance(50) ? Selection{ Selection::Kind::All, extent, {}, {} }
                                    : this->Any(extent);
    return made;
  }
  const std::size_t along = this->Numbers.Below(extent.size());
  const hsize_t size = extent[along];
  if (way < 5)
  {
    // A band for each, in any order, some empty.
    std::vector<hsize_t> cuts{ 0, size };
    for (int i = 1; i < ranks; ++i)
    {
      cuts.push_back(this->Numbers.Between(0, size));
    }
    std::sort(cuts.begin(), cuts.end());
    for (std::size_t rank = 0; rank < count; ++rank)
    {
      Place begin = origin;
      Place end = extent;
      begin[along] = cuts[rank];
      end[along] = cuts[rank + 1];
      if (begin[along] < end[along])
      {
        made[rank] = this->Within(Slab::Box(begin, end), true, extent);
      }
    }
    this->Numbers.Shuffle(made);
    return made;
  }
  // Blocks dealt out like cards.
  const hsize_t block = this->Numbers.Between(1, std::max<hsize_t>(1, size / count / 2));
  for (std::size_t rank = 0; rank < count; ++rank)
  {
    Slab region = Slab::Box(origin, extent);
    region.Start[along] = rank * block;
    region.Block[along] = block;
    region.Stride[along] = count * block;
    if (region.Start[along] + block <= size)
    {
      region.Count[along] = (size - region.Start[along] - block) / region.Stride[along] + 1;
      made[rank] = this->Within(region, false, extent);
    }
  }
  return made;
}

// Runs of neighbours with gaps of different sizes between them.
Selection SelectionMaker::Runs(hsize_t elements)
{
  std::vector<std::pair<hsize_t, hsize_t>> runs;
  hsize_t at = this->Numbers.Below(4);
  const hsize_t longest = std::max<hsize_t>(elements / 10, 3);
  for (hsize_t left = elements; left > 0;)
  {
    const hsize_t run = std::min(this->Numbers.Between(1, longest), left);
    runs.emplace_back(at, run);
    at += run + this->Numbers.Between(1, 3);
    left -= run;
  }
  Selection made{ Selection::Kind::Slabs, { at + this->Numbers.Below(3) }, {}, {} };
  for (const auto& [begin, run] : runs)
  {
    made.Terms.push_back({ made.Terms.empty() ? H5S_SELECT_SET : H5S_SELECT_OR,
      Slab::Box({ begin }, { begin + run }) });
  }
  return made;
}

Selection SelectionMaker::OfSize(hsize_t elements)
{
  if (elements == 0)
  {
    return Nothing({ this->Numbers.Between(1, 5) });
  }
  switch (this->Numbers.Below(6))
  {
    case 0:
    {
      // Every so many-th.
      const hsize_t start = this->Numbers.Below(5);
      const hsize_t stride = this->Numbers.Between(1, 4);
      const hsize_t size = start + (elements - 1) * stride + 1 + this->Numbers.Below(4);
      return OfSlab({ size }, { { start }, { stride }, { elements }, { 1 } });
    }
    case 1:
    {
      // Every second row of a plane with a border.
      hsize_t columns = std::min<hsize_t>(elements, 24);
      while (elements % columns != 0)
      {
        --columns;
      }
      const hsize_t rows = elements / columns;
      return OfSlab(
        { rows * 2 + 1, columns + 3 }, { { 1, 2 }, { 2, columns }, { rows, 1 }, { 1, columns } });
    }
    case 2:
      if (elements <= 10 * MostPoints)
      {
        // In any order.
        Selection made{ Selection::Kind::Points, { elements + this->Numbers.Below(6) }, {}, {} };
        made.Points.resize(made.Extent[0]);
        std::iota(made.Points.begin(), made.Points.end(), hsize_t{ 0 });
        this->Numbers.Shuffle(made.Points);
        made.Points.resize(elements);
        return made;
      }
      [[fallthrough]];
    case 3:
      return this->Runs(elements);
    default:
      return { Selection::Kind::All, { elements }, {}, {} };
  }
}

}
