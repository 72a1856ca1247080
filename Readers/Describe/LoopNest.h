// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Source.h"
#include "Describe/Window.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace dsm::describe
{

/// One dimension's selection, and how far one step in it is in what was read and in the target.
struct Loop
{
  std::uint64_t Start = 0, Count = 1, Stride = 1;
  std::int64_t In = 0, Out = 0;
};

/// Loops over the numbers of a source, which say where each goes in the target.
struct LoopNest
{
  std::vector<Loop> Dimensions; ///< one for each of the source's, slowest first
  std::vector<Loop> Repeated;   ///< roles of the target that the source does not have
  std::int64_t Base = 0;        ///< in the target

  /// Throws dsm::Error if the source has less than the window.
  LoopNest(const Source& source, const Window& window, const Target& target);

  /// Returns how many numbers of the source are wanted.
  std::uint64_t Count() const;

  /// Whether the numbers lie in the target as HDF5 delivers them: in the file's order, without
  /// gaps.
  bool IsDirect() const;

  /// Puts what was read into the target, or adds it to what is there.
  template <typename T>
  void Scatter(const T* from, T* to, bool add) const;
};

/// Throws that the description asks for more of a source than it has.
[[noreturn]] void ThrowBeyond(const Source& source);

/// Returns the source's name, for messages.
std::string NameOf(const Source& source);

/// Calls `with` for each inner run: its place in what was read and in the target.
template <typename Function>
void ForEachRun(const std::vector<Loop>& loops, std::size_t depth, std::int64_t in,
  std::int64_t out, const Function& with)
{
  if (depth + 1 >= loops.size())
  {
    with(in, out);
    return;
  }
  const Loop& loop = loops[depth];
  for (std::uint64_t index = 0; index < loop.Count; ++index)
  {
    ForEachRun(loops, depth + 1, in, out, with);
    in += loop.In;
    out += loop.Out;
  }
}

template <typename T>
void LoopNest::Scatter(const T* from, T* to, bool add) const
{
  std::vector<Loop> loops = this->Dimensions;
  loops.insert(loops.end(), this->Repeated.begin(), this->Repeated.end());
  std::erase_if(loops, [](const Loop& loop) { return loop.Count == 1; });
  // The target is written in its order.
  std::stable_sort(loops.begin(), loops.end(),
    [](const Loop& a, const Loop& b) { return std::abs(a.Out) > std::abs(b.Out); });
  const Loop inner = loops.empty() ? Loop{} : loops.back();
  ForEachRun(loops, 0, 0, this->Base,
    [&](std::int64_t in, std::int64_t out)
    {
      for (std::uint64_t index = 0; index < inner.Count; ++index)
      {
        to[out] = static_cast<T>(add ? to[out] + from[in] : from[in]);
        in += inner.In;
        out += inner.Out;
      }
    });
}

}
