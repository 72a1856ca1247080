// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Random.h"
#include "Selection.h"

#include <vector>

namespace selections
{

/// Random selections of each kind there is.
class SelectionMaker
{
public:
  explicit SelectionMaker(Random& random)
    : Numbers(random)
  {
  }

  /// Of an array, for one rank that reads: others may have the same elements.
  Selection Any(const Place& extent);

  /// Of an array, one per rank: no element is in two of them.
  std::vector<Selection> Disjoint(const Place& extent, int ranks);

  /// Of an array of its own, with so many elements: how a rank's buffer is laid out. Without one
  /// twice.
  Selection OfSize(hsize_t elements);

private:
  Slab AnySlab(const Place& begin, const Place& end);
  Selection Combined(const Place& extent);
  Selection Within(const Slab& region, bool isBox, const Place& extent);
  Selection SomePoints(const std::vector<hsize_t>& of, const Place& extent);
  Selection Runs(hsize_t elements);

  Random& Numbers;
};

}
