// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/WrittenFiles.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// A hundred bytes each, or two.
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

void WrittenFiles::EnterSnapshot(SnapshotId number, SnapshotId family, ImageId image)
{
  if (family == 0)
  {
    return; // it has no name on disk, so it is no state of another's file
  }
  this->Images[image] = family;
  if (this->Images.size() > MostFiles)
  {
    this->Images.erase(this->Images.begin());
  }
  if (number == family)
  {
    return;
  }
  this->Families[number] = family;
  this->Newest[family] = number;
  if (this->Families.size() > MostFiles)
  {
    const auto oldest = this->Families.begin();
    const auto newest = this->Newest.find(oldest->second);
    if (newest != this->Newest.end() && newest->second == oldest->first)
    {
      this->Newest.erase(newest);
    }
    this->Families.erase(oldest);
  }
}

SnapshotId WrittenFiles::FamilyOf(SnapshotId number) const
{
  const auto found = this->Families.find(number);
  return found == this->Families.end() ? number : found->second;
}

SnapshotId WrittenFiles::FamilyOfImage(ImageId image) const
{
  const auto found = this->Images.find(image);
  return found == this->Images.end() ? SnapshotId(0) : found->second;
}

SnapshotId WrittenFiles::NewestOf(SnapshotId family) const
{
  const auto found = this->Newest.find(family);
  return found == this->Newest.end() ? family : found->second;
}

}
