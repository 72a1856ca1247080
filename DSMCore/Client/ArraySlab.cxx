// SPDX-License-Identifier: BSD-3-Clause
#include "Client/ArraySlab.h"

#include "Base/Error.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dsm
{

ArraySlab::ArraySlab(std::vector<std::uint64_t> sizes, std::vector<std::uint64_t> starts,
  std::vector<std::uint64_t> counts, std::uint64_t elementBytes, std::byte* memory)
  : Sizes(std::move(sizes))
  , Starts(std::move(starts))
  , Counts(std::move(counts))
  , ElementBytes(elementBytes)
  , Memory(memory)
  , Directions(this->Sizes.size())
  , RunBytes(elementBytes)
{
  for (std::size_t direction = 0; direction < this->Sizes.size(); ++direction)
  {
    const std::uint64_t size = this->Sizes[direction];
    if (this->Starts[direction] > size || this->Counts[direction] > size - this->Starts[direction])
    {
      throw Error(Fault::Usage,
        "the block has the indices {} to {} (exclusive) in direction {}, where the array has {}",
        this->Starts[direction], this->Starts[direction] + this->Counts[direction], direction + 1,
        size);
    }
  }
  // A run has all of the last directions, and a part of the one before them.
  bool whole = true;
  while (this->Directions > 0 && whole)
  {
    --this->Directions;
    this->RunBytes *= this->Counts[this->Directions];
    whole = this->Counts[this->Directions] == this->Sizes[this->Directions];
  }
  for (std::size_t direction = 0; direction < this->Directions; ++direction)
  {
    this->Runs *= this->Counts[direction];
  }
}

// Returns where a run begins in the whole array, in bytes.
std::uint64_t ArraySlab::OffsetOfRun(std::uint64_t run) const
{
  std::uint64_t offset = 0;
  std::uint64_t stride = this->ElementBytes;
  for (std::size_t direction = this->Sizes.size(); direction-- > 0;)
  {
    std::uint64_t index = this->Starts[direction];
    if (direction < this->Directions)
    {
      index += run % this->Counts[direction];
      run /= this->Counts[direction];
    }
    offset += index * stride;
    stride *= this->Sizes[direction];
  }
  return offset;
}

void ArraySlab::Take(std::uint64_t offset, const std::byte* bytes, std::uint64_t size)
{
  if (this->RunBytes == 0 || this->Runs == 0)
  {
    return;
  }
  // Runs lie in the array in their order. This finds the first one that ends behind the offset.
  std::uint64_t first = 0;
  for (std::uint64_t last = this->Runs; first < last;)
  {
    const std::uint64_t middle = first + (last - first) / 2;
    if (this->OffsetOfRun(middle) + this->RunBytes > offset)
    {
      last = middle;
    }
    else
    {
      first = middle + 1;
    }
  }
  for (std::uint64_t run = first; run < this->Runs; ++run)
  {
    const std::uint64_t begin = this->OffsetOfRun(run);
    if (begin >= offset + size)
    {
      break;
    }
    const std::uint64_t from = std::max(begin, offset);
    const std::uint64_t to = std::min(begin + this->RunBytes, offset + size);
    std::memcpy(
      this->Memory + run * this->RunBytes + (from - begin), bytes + (from - offset), to - from);
  }
}

}
