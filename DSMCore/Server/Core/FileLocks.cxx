// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/FileLocks.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
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

const std::string& FileLocks::FirstOf(const std::string& identity) const
{
  const std::string* const first = this->First.Find(identity);
  return first ? *first : identity;
}

ImageId FileLocks::HolderOf(const File& file) const
{
  if (const auto same = this->ByIdentity.find(this->FirstOf(file.Identity));
    same != this->ByIdentity.end())
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
  const std::string& identity = this->FirstOf(file.Identity);
  this->Images[image] = { { identity, file.Name, file.Family, file.IsPutByServer }, base, locks };
  if (!locks)
  {
    return;
  }
  if (!identity.empty())
  {
    this->ByIdentity[identity] = image;
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
  if (found->second.What.Family == 0 && family != 0)
  {
    found->second.What.Family = family;
    if (found->second.Locks)
    {
      this->ByFamily[family].insert(image);
    }
  }
  if (const std::string& identity = found->second.What.Identity; !identity.empty())
  {
    this->Newest[identity] = snapshot;
  }
}

void FileLocks::NotePut(const FilePut& file)
{
  const std::string first = this->FirstOf(file.Replaced);
  if (!first.empty() && !file.Identity.empty() && file.Identity != first)
  {
    this->First[file.Identity] = first;
  }
}

void FileLocks::NoteNotKept(ImageId image, const PeerId& writer)
{
  this->NotKept[image] = writer;
}

const PeerId* FileLocks::WriterOfNotKept(ImageId image) const
{
  const auto found = this->NotKept.find(image);
  return found == this->NotKept.end() ? nullptr : &found->second;
}

std::vector<ImageId> FileLocks::NotKeptBy(const PeerId& writer) const
{
  std::vector<ImageId> images;
  for (const auto& [image, theirs] : this->NotKept)
  {
    if (theirs == writer)
    {
      images.push_back(image);
    }
  }
  return images;
}

void FileLocks::Release(ImageId image)
{
  this->NotKept.erase(image);
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
  const SnapshotId* const newest = this->Newest.Find(this->FirstOf(identity));
  return newest ? *newest : SnapshotId(0);
}

const FileLocks::File* FileLocks::FileOf(ImageId image) const
{
  const auto found = this->Images.find(image);
  return found == this->Images.end() ? nullptr : &found->second.What;
}

std::vector<ImageId> FileLocks::ImagesOf(const std::string& identity) const
{
  const std::string& first = this->FirstOf(identity);
  std::vector<ImageId> images;
  for (const auto& [image, opened] : this->Images)
  {
    if (!first.empty() && opened.What.Identity == first)
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
