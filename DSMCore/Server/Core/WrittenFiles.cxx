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

void WrittenFiles::EnterWhole(SnapshotId snapshot, SnapshotId family)
{
  SnapshotId& newest = this->Written[family];
  newest = std::max(newest, snapshot);
  if (this->Written.size() > MostFiles)
  {
    this->Written.erase(this->Written.begin());
  }
}

void WrittenFiles::Enter(const FileMark& mark, File file)
{
  this->EnterWhole(file.Snapshot, file.Family);
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
