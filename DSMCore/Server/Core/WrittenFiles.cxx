// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/WrittenFiles.h"

#include <algorithm>
#include <utility>

namespace dsm
{

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
  this->Files[mark] = std::move(file);
}

const WrittenFiles::File* WrittenFiles::Find(const FileMark& mark) const
{
  return this->Files.Find(mark);
}

SnapshotId WrittenFiles::WrittenOf(SnapshotId family) const
{
  const auto found = this->Written.find(family);
  return found == this->Written.end() ? SnapshotId(0) : found->second;
}

}
