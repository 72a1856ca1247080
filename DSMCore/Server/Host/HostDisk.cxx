// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Host/HostDisk.h"

#include <algorithm>
#include <iterator>

namespace dsm
{

void HostDisk::Take(const Range& range)
{
  this->Memory.Reserve(range.Begin, range.Size);
  // What began last before it and was not forgotten is the same file's.
  auto file = this->Left.upper_bound(range.Begin);
  file = file == this->Left.begin() ? this->Left.emplace(range.Begin, range.Begin).first
                                    : std::prev(file);
  const std::uint64_t begin = file->first;
  std::uint64_t& left = file->second;
  if (range.Begin > begin)
  {
    const std::uint64_t size = std::min(range.Begin - begin, Hot / 2);
    this->Memory.BeginWriting(range.Begin - size, size);
  }
  if (range.Begin - left > Hot)
  {
    const std::uint64_t cold = range.Begin - Hot;
    this->Memory.LetGo(left, cold - left);
    left = cold;
  }
}

void HostDisk::Forget(const Range& range)
{
  if (!this->Memory.HasDisk() || range.Size == 0)
  {
    return;
  }
  this->Memory.Release(range.Begin, range.Size);
  const auto first = this->Left.lower_bound(range.Begin);
  this->Left.erase(first, this->Left.lower_bound(range.Begin + range.Size));
}

}
