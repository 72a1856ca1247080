// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/WrittenFiles.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// Two hundred bytes each.
constexpr std::size_t MostFiles = 65536;
}

void WrittenFiles::Enter(const FileMark& mark, File file)
{
  SnapshotId& newest = this->Written[file.Family];
  newest = std::max(newest, file.Snapshot);
  if (this->Written.size() > MostFiles)
  {
    this->Written.erase(this->Written.begin());
  }
  if (this->Files.insert_or_assign(mark, std::move(file)).second)
  {
    this->InOrder.push_back(mark);
  }
  if (this->InOrder.size() > MostFiles)
  {
    this->Files.erase(this->InOrder.front());
    this->InOrder.pop_front();
  }
}

const WrittenFiles::File* WrittenFiles::Find(const FileMark& mark) const
{
  const auto found = this->Files.find(mark);
  return found == this->Files.end() ? nullptr : &found->second;
}

SnapshotId WrittenFiles::WrittenOf(SnapshotId family) const
{
  const auto found = this->Written.find(family);
  return found == this->Written.end() ? SnapshotId(0) : found->second;
}

}
