// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/LoopNest.h"

#include "Base/Error.h"

#include <array>
#include <ranges>
#include <string>

namespace dsm::describe
{

namespace
{
const Range* RangeOf(const Window& window, Role role)
{
  switch (role)
  {
    case Role::X:
      return &window.X;
    case Role::Y:
      return &window.Y;
    case Role::Z:
      return &window.Z;
    case Role::Index:
      return &window.Index;
    default:
      return nullptr;
  }
}

// The distance in the target between neighbours along a role.
std::int64_t StrideOf(Role role, const Window& window, std::uint64_t components)
{
  std::uint64_t stride = components;
  for (const Role faster : { Role::X, Role::Y, Role::Z, Role::Index })
  {
    if (faster == role)
    {
      break;
    }
    stride *= RangeOf(window, faster)->Count;
  }
  return static_cast<std::int64_t>(stride);
}
}

std::string NameOf(const Source& source)
{
  const auto* stored = std::get_if<Stored>(&source.From);
  return stored ? "dataset " + stored->Path : "what the description gives as numbers";
}

void ThrowBeyond(const Source& source)
{
  throw Error(
    Fault::Usage, "the description of this file asks for more of {} than it has", NameOf(source));
}

LoopNest::LoopNest(const Source& source, const Window& window, const Target& target)
  : Base(static_cast<std::int64_t>(target.First))
{
  std::int64_t component = 1;
  std::array<bool, 8> has{};
  // Fastest first, since of several dimensions of components the last is the fastest.
  for (auto dimension = source.Dimensions.rbegin(); dimension != source.Dimensions.rend();
    ++dimension)
  {
    Loop loop{ dimension->Start, 1, dimension->Stride };
    has.at(static_cast<std::size_t>(dimension->Is)) = true;
    if (dimension->Is == Role::Component)
    {
      loop.Count = dimension->Count;
      loop.Out = component;
      component *= static_cast<std::int64_t>(dimension->Count);
    }
    else if (dimension->Is == Role::Block)
    {
      if (window.Block >= dimension->Count)
      {
        ThrowBeyond(source);
      }
      loop.Start += window.Block * dimension->Stride;
    }
    else if (const Range* range = RangeOf(window, dimension->Is))
    {
      if (range->Count > dimension->Count || range->First > dimension->Count - range->Count)
      {
        ThrowBeyond(source);
      }
      const std::uint64_t first =
        dimension->Reversed ? dimension->Count - range->First - range->Count : range->First;
      loop.Start += first * dimension->Stride;
      loop.Count = range->Count;
      loop.Out = StrideOf(dimension->Is, window, target.Components);
      if (dimension->Reversed && range->Count > 0)
      {
        this->Base += static_cast<std::int64_t>(range->Count - 1) * loop.Out;
        loop.Out = -loop.Out;
      }
    }
    this->Dimensions.insert(this->Dimensions.begin(), loop);
  }
  if (static_cast<std::uint64_t>(component) > target.Components - target.First)
  {
    ThrowBeyond(source);
  }
  for (const Role role : { Role::X, Role::Y, Role::Z, Role::Index })
  {
    const std::uint64_t count = RangeOf(window, role)->Count;
    if (!has.at(static_cast<std::size_t>(role)) && count > 1)
    {
      this->Repeated.push_back({ 0, count, 1, 0, StrideOf(role, window, target.Components) });
    }
  }
}

std::uint64_t LoopNest::Count() const
{
  std::uint64_t product = 1;
  for (const Loop& loop : this->Dimensions)
  {
    product *= loop.Count;
  }
  return product;
}

bool LoopNest::IsDirect() const
{
  if (!this->Repeated.empty())
  {
    return false;
  }
  std::int64_t expected = 1;
  for (const auto& loop : std::ranges::reverse_view(this->Dimensions))
  {
    if (loop.Count > 1 && loop.Out != expected)
    {
      return false;
    }
    expected *= static_cast<std::int64_t>(loop.Count);
  }
  return true;
}

}
