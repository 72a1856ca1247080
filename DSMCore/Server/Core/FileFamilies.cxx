// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/FileFamilies.h"

#include <cstddef>

namespace dsm
{

namespace
{
// A hundred bytes each.
constexpr std::size_t MostKnown = 65536;
}

void FileFamilies::Enter(SnapshotId number, SnapshotId family, ImageId image)
{
  if (family == 0)
  {
    return;
  }
  this->Images[image] = family;
  if (this->Images.size() > MostKnown)
  {
    this->Images.erase(this->Images.begin());
  }
  if (number == family)
  {
    return;
  }
  this->Families[number] = family;
  this->Newest[family] = number;
  if (this->Families.size() > MostKnown)
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

SnapshotId FileFamilies::FamilyOf(SnapshotId number) const
{
  const auto found = this->Families.find(number);
  return found == this->Families.end() ? number : found->second;
}

SnapshotId FileFamilies::FamilyOfImage(ImageId image) const
{
  const auto found = this->Images.find(image);
  return found == this->Images.end() ? SnapshotId(0) : found->second;
}

SnapshotId FileFamilies::NewestOf(SnapshotId family) const
{
  const auto found = this->Newest.find(family);
  return found == this->Newest.end() ? family : found->second;
}

}
