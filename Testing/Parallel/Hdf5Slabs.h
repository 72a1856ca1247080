// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Hdf5Patterns.h"

#include <array>
#include <utility>

/// How a two-dimensional dataset is divided among the ranks of a team.
namespace patterns
{

/// A rectangle, as H5Sselect_hyperslab takes it.
struct Slab
{
  std::array<hsize_t, 2> Start{ 0, 0 };
  std::array<hsize_t, 2> Stride{ 1, 1 };
  std::array<hsize_t, 2> Count{ 0, 0 };
  std::array<hsize_t, 2> Block{ 1, 1 };

  hsize_t Elements() const
  {
    return this->Count[0] * this->Block[0] * this->Count[1] * this->Block[1];
  }
};

/// Element number `index` of `slab` in HDF5's order: its row and column.
inline std::array<hsize_t, 2> ElementOf(const Slab& slab, hsize_t index)
{
  const hsize_t width = slab.Count[1] * slab.Block[1];
  const std::array<hsize_t, 2> inside{ index / width, index % width };
  std::array<hsize_t, 2> place{};
  for (std::size_t d = 0; d < 2; ++d)
  {
    place[d] =
      slab.Start[d] + inside[d] / slab.Block[d] * slab.Stride[d] + inside[d] % slab.Block[d];
  }
  return place;
}

/// The part [first, last) of `total` that belongs to a rank; parts differ in size, some are empty.
inline std::pair<hsize_t, hsize_t> Part(hsize_t total, const Team& team)
{
  const auto cut = [&](int rank)
  {
    return total * static_cast<hsize_t>(rank) * static_cast<hsize_t>(rank + 1) /
      (static_cast<hsize_t>(team.Size) * static_cast<hsize_t>(team.Size + 1));
  };
  return { cut(team.Rank), cut(team.Rank + 1) };
}

inline Slab ByRows(const Layout& layout, const Team& team)
{
  const auto [first, last] = Part(layout.Rows, team);
  return { { first, 0 }, { 1, 1 }, { last - first, layout.Columns }, { 1, 1 } };
}

inline Slab ByColumns(const Layout& layout, const Team& team)
{
  const auto [first, last] = Part(layout.Columns, team);
  return { { 0, first }, { 1, 1 }, { layout.Rows, last - first }, { 1, 1 } };
}

/// Columns dealt out like cards: the finest interleaving.
inline Slab ByPattern(const Layout& layout, const Team& team)
{
  const auto size = static_cast<hsize_t>(team.Size);
  const auto rank = static_cast<hsize_t>(team.Rank);
  const hsize_t mine = layout.Columns / size + (rank < layout.Columns % size ? 1 : 0);
  return { { 0, rank }, { 1, size }, { layout.Rows, mine }, { 1, 1 } };
}

/// Blocks of rows, dealt out.
inline Slab ByChunk(const Layout& layout, const Team& team)
{
  const auto size = static_cast<hsize_t>(team.Size);
  const auto rank = static_cast<hsize_t>(team.Rank);
  const hsize_t blocks = layout.Rows / 4;
  const hsize_t mine = blocks / size + (rank < blocks % size ? 1 : 0);
  return { { rank * 4, 0 }, { size * 4, 1 }, { mine, layout.Columns }, { 4, 1 } };
}

}
