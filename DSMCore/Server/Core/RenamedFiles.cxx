// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/RenamedFiles.h"

#include <algorithm>

namespace dsm
{

// The last of several parts stands for all of them.
void RenamedFiles::OnRenamed(const SnapshotRenamed& renamed)
{
  const SnapshotId number = this->Snapshots.GroupOf(renamed.Number).back();
  if (std::find(this->Numbers.begin(), this->Numbers.end(), number) == this->Numbers.end())
  {
    this->Reads.Take(number);
    this->Numbers.push_back(number);
  }
}

std::optional<SnapshotDescription> RenamedFiles::Take(SnapshotId last)
{
  const auto next = std::find_if(this->Numbers.begin(), this->Numbers.end(),
    [last](SnapshotId number) { return number <= last; });
  if (next == this->Numbers.end())
  {
    return std::nullopt;
  }
  const SnapshotId number = *next;
  this->Numbers.erase(next);
  return this->Snapshots.Described(number);
}

}
