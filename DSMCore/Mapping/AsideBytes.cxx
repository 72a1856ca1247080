// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/AsideBytes.h"

#include "Base/Error.h"
#include "Base/RoundUp.h"

#include <iterator>
#include <limits>
#include <utility>

namespace dsm
{

namespace
{
// From so many pieces on, new ones are twice as large, and so on.
constexpr std::size_t Many = 64;
constexpr std::size_t MostDoublings = 20;

// One behind the other, before and now.
bool Follows(const AsideBytes::Moved& one, const AsideBytes::Moved& other)
{
  return one.From + one.Size == other.From && one.To + one.Size == other.To;
}
}

AsideBytes AsideBytes::FromList(std::vector<Moved> list)
{
  AsideBytes made;
  std::uint64_t end = 0;
  for (const Moved& moved : list)
  {
    if (moved.From < end || moved.From + moved.Size < moved.From ||
      moved.To + moved.Size < moved.To)
    {
      throw Error(Fault::Refused, "bytes that were put aside overlap, or come out of order");
    }
    end = moved.From + moved.Size;
    made.Taken = std::max(made.Taken, moved.To + moved.Size);
  }
  made.All = std::move(list);
  return made;
}

AsideBytes::Run AsideBytes::At(std::uint64_t offset) const
{
  const auto next = std::partition_point(this->All.begin(), this->All.end(),
    [offset](const Moved& moved) { return moved.From + moved.Size <= offset; });
  if (next == this->All.end())
  {
    return { false, offset, std::numeric_limits<std::uint64_t>::max() - offset };
  }
  if (next->From > offset)
  {
    return { false, offset, next->From - offset };
  }
  const std::uint64_t passed = offset - next->From;
  return { true, next->To + passed, next->Size - passed };
}

bool AsideBytes::Has(ByteRange range) const
{
  for (std::uint64_t offset = range.Begin; offset < range.End;)
  {
    const Run run = this->At(offset);
    if (!run.IsAside)
    {
      return false;
    }
    offset += run.Size;
  }
  return true;
}

std::vector<AsideBytes::Moved> AsideBytes::Add(ByteRange range, ByteRange within)
{
  const std::uint64_t step = Page << std::min(this->All.size() / Many, MostDoublings);
  const std::uint64_t begin = std::max(range.Begin / step * step, within.Begin);
  const std::uint64_t end = std::min(RoundUp(range.End, step), RoundUp(within.End, Page));
  std::vector<Moved> added;
  if (begin < end)
  {
    this->ForEachRun(begin, end - begin,
      [&](bool aside, std::uint64_t offset, std::uint64_t, std::uint64_t length)
      {
        if (!aside)
        {
          added.push_back({ offset, this->Taken, length });
          this->Taken += length;
        }
      });
  }
  std::vector<Moved> all;
  all.reserve(this->All.size() + added.size());
  std::merge(this->All.begin(), this->All.end(), added.begin(), added.end(),
    std::back_inserter(all),
    [](const Moved& one, const Moved& other) { return one.From < other.From; });
  this->All.clear();
  for (const Moved& moved : all)
  {
    if (!this->All.empty() && Follows(this->All.back(), moved))
    {
      this->All.back().Size += moved.Size;
    }
    else
    {
      this->All.push_back(moved);
    }
  }
  return added;
}

}
