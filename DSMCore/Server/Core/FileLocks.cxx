// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/FileLocks.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// A hundred bytes each.
constexpr std::size_t MostFiles = 65536;
constexpr std::size_t MostFamilies = 8;

void Add(std::deque<SnapshotId>& families, SnapshotId family)
{
  if (family != 0 && std::ranges::find(families, family) == families.end())
  {
    families.push_back(family);
    if (families.size() > MostFamilies)
    {
      families.pop_front();
    }
  }
}

template <typename Key>
void Erase(std::map<Key, std::set<ImageId>>& images, const Key& key, ImageId image)
{
  if (const auto found = images.find(key); found != images.end())
  {
    found->second.erase(image);
    if (found->second.empty())
    {
      images.erase(found);
    }
  }
}
}

ImageId FileLocks::HolderOf(const File& file) const
{
  if (const auto same = this->ByIdentity.find(file.Identity); same != this->ByIdentity.end())
  {
    return same->second;
  }
  if (const auto named = this->ByName.find(file.Name); named != this->ByName.end())
  {
    // Either file has no identity: only the names can tell.
    const auto holder = std::find_if(named->second.begin(), named->second.end(), [&](ImageId image)
      { return file.Identity.empty() || this->Images.at(image).What.Identity.empty(); });
    if (holder != named->second.end())
    {
      return *holder;
    }
  }
  if (file.IsPutByServer && file.Family != 0)
  {
    const auto family = this->ByFamily.find(file.Family);
    return family == this->ByFamily.end() ? ImageId(0) : *family->second.begin();
  }
  return 0;
}

void FileLocks::Enter(ImageId image, const File& file, SnapshotId base, bool locks)
{
  this->Images[image] = { file, base, locks };
  if (!file.Identity.empty() && file.Family != 0)
  {
    Add(this->HistoryOf(file.Identity).Families, file.Family);
  }
  if (!locks)
  {
    return;
  }
  if (!file.Identity.empty())
  {
    this->ByIdentity[file.Identity] = image;
  }
  if (file.Family != 0)
  {
    this->ByFamily[file.Family].insert(image);
  }
  this->ByName[file.Name].insert(image);
}

void FileLocks::NoteVersion(ImageId image, SnapshotId snapshot, SnapshotId family)
{
  const auto found = this->Images.find(image);
  if (found == this->Images.end())
  {
    return;
  }
  found->second.Base = snapshot;
  if (const std::string& identity = found->second.What.Identity; !identity.empty())
  {
    History& history = this->HistoryOf(identity);
    history.Newest = snapshot;
    Add(history.Families, family);
  }
}

FileLocks::History& FileLocks::HistoryOf(const std::string& identity)
{
  const auto [found, isNew] = this->Histories.try_emplace(identity);
  if (isNew)
  {
    this->InOrder.push_back(identity);
  }
  if (this->InOrder.size() > MostFiles)
  {
    this->Histories.erase(this->InOrder.front());
    this->InOrder.pop_front();
  }
  return found->second;
}

void FileLocks::Release(ImageId image)
{
  const auto found = this->Images.find(image);
  if (found == this->Images.end())
  {
    return;
  }
  const Opened opened = std::move(found->second);
  this->Images.erase(found);
  if (!opened.Locks)
  {
    return;
  }
  this->ByIdentity.erase(opened.What.Identity);
  Erase(this->ByName, opened.What.Name, image);
  Erase(this->ByFamily, opened.What.Family, image);
}

SnapshotId FileLocks::NewestOf(const std::string& identity) const
{
  const auto found = this->Histories.find(identity);
  return found == this->Histories.end() ? SnapshotId(0) : found->second.Newest;
}

bool FileLocks::HadFamily(const std::string& identity, SnapshotId family) const
{
  const auto found = this->Histories.find(identity);
  return found != this->Histories.end() &&
    std::ranges::find(found->second.Families, family) != found->second.Families.end();
}

const FileLocks::File* FileLocks::FileOf(ImageId image) const
{
  const auto found = this->Images.find(image);
  return found == this->Images.end() ? nullptr : &found->second.What;
}

std::vector<ImageId> FileLocks::ImagesOf(const std::string& identity) const
{
  std::vector<ImageId> images;
  for (const auto& [image, opened] : this->Images)
  {
    if (!identity.empty() && opened.What.Identity == identity)
    {
      images.push_back(image);
    }
  }
  return images;
}

SnapshotId FileLocks::BaseOf(ImageId image) const
{
  const auto found = this->Images.find(image);
  return found == this->Images.end() ? SnapshotId(0) : found->second.Base;
}

}
