// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/SourceSelection.h"

#include "Base/Error.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <ranges>

namespace dsm::describe
{

std::uint64_t Selection::Size() const
{
  return std::accumulate(
    this->Count.begin(), this->Count.end(), std::uint64_t(1), std::multiplies<std::uint64_t>());
}

FlatRun FlatRunOf(const Source& source, std::uint64_t from, std::vector<Loop>& loops)
{
  std::uint64_t stride = 1, first = from, last = from;
  for (std::size_t index = loops.size(); index-- > 0;)
  {
    Loop& loop = loops[index];
    loop.In = static_cast<std::int64_t>(stride * loop.Stride);
    first += loop.Start * stride;
    last += (loop.Start + (loop.Count - 1) * loop.Stride) * stride;
    const Dimension& dimension = source.Dimensions[index];
    stride *= std::max(dimension.Of, dimension.Count);
  }
  return { first, last - first + 1 };
}

namespace
{
// The distances in a buffer that holds just what was selected.
void SetInStrides(std::vector<Loop>& loops)
{
  std::int64_t stride = 1;
  for (Loop& loop : std::ranges::reverse_view(loops))
  {
    loop.In = stride;
    stride *= static_cast<std::int64_t>(loop.Count);
  }
}

Selection HyperslabOf(
  const Source& source, const std::vector<hsize_t>& shape, std::vector<Loop>& loops)
{
  if (loops.size() != shape.size())
  {
    throw Error(Fault::Usage, "{} has {} dimensions, and the description of this file says {}",
      NameOf(source), shape.size(), loops.size());
  }
  SetInStrides(loops);
  Selection selection;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
  {
    const Loop& loop = loops[axis];
    if (loop.Start >= shape[axis] || loop.Stride == 0 ||
      loop.Count - 1 > (shape[axis] - 1 - loop.Start) / loop.Stride)
    {
      ThrowBeyond(source);
    }
    selection.Start.push_back(loop.Start);
    selection.Stride.push_back(loop.Stride);
    selection.Count.push_back(loop.Count);
  }
  return selection;
}

// Whole rows of the dataset around the run of elements that is wanted.
Selection RowsAround(const Source& source, std::uint64_t from, const std::vector<hsize_t>& shape,
  std::vector<Loop>& loops)
{
  const FlatRun run = FlatRunOf(source, from, loops);
  Selection selection;
  selection.Start.assign(shape.size(), 0);
  selection.Stride.assign(shape.size(), 1);
  selection.Count = shape;
  if (!shape.empty())
  {
    selection.Count[0] = 1;
  }
  const std::uint64_t row = selection.Size();
  const std::uint64_t rows = shape.empty() ? 1 : shape[0];
  if (row == 0 || run.First >= row * rows || run.Count > row * rows - run.First)
  {
    ThrowBeyond(source);
  }
  selection.Skipped = run.First % row;
  if (!shape.empty())
  {
    selection.Start[0] = run.First / row;
    selection.Count[0] = (run.First + run.Count + row - 1) / row - run.First / row;
  }
  return selection;
}
}

Selection SelectionOf(
  const Source& source, const std::vector<hsize_t>& shape, std::vector<Loop>& loops)
{
  const auto& from = std::get<Stored>(source.From);
  return from.FlatFrom ? RowsAround(source, *from.FlatFrom, shape, loops)
                       : HyperslabOf(source, shape, loops);
}

}
