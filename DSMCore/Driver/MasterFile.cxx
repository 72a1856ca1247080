// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/MasterFile.h"

#include "Base/FileName.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <vector>

namespace dsm
{

namespace
{
struct Entered
{
  std::mutex Guard;
  std::vector<MasterFile> Masters;
};

// Never destroyed: HDF5 may open files when the process ends.
Entered& All()
{
  static Entered* const all = new Entered;
  return *all;
}
}

std::string MasterFile::Translated(const std::string& name) const
{
  const std::string absolute = AbsoluteName(name);
  // A prefix of HDF5's for virtual datasets leads to the right folder already.
  if (this->FolderOpened.empty() || !PathBelow(this->Folder, absolute).empty())
  {
    return name;
  }
  const std::string below = PathBelow(this->FolderOpened, absolute);
  return below.empty() ? name
                       : (std::filesystem::path(this->Folder) / below).lexically_normal().string();
}

std::uint64_t MasterFile::Enter(const MasterFile& master)
{
  Entered& all = All();
  const std::lock_guard lock(all.Guard);
  auto place = std::find(all.Masters.begin(), all.Masters.end(), master);
  if (place == all.Masters.end())
  {
    place = all.Masters.insert(place, master);
  }
  return static_cast<std::uint64_t>(place - all.Masters.begin()) + 1;
}

std::optional<MasterFile> MasterFile::Find(std::uint64_t entered)
{
  Entered& all = All();
  const std::lock_guard lock(all.Guard);
  return entered > 0 && entered <= all.Masters.size() ? std::optional(all.Masters[entered - 1])
                                                      : std::nullopt;
}

}
