// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/FoldersWithoutNames.h"

#include <filesystem>
#include <mutex>
#include <set>

namespace dsm
{

namespace
{
struct Folders
{
  std::mutex Mutex;
  std::set<std::string> Names;
};

Folders& All()
{
  // HDF5 closes what is open when the process ends: this is still there then.
  static auto& folders = *new Folders;
  return folders;
}

std::string FolderOf(const std::string& fileName)
{
  return std::filesystem::path(fileName).parent_path().string();
}
}

bool FoldersWithoutNames::Add(const std::string& fileName)
{
  const std::lock_guard lock(All().Mutex);
  const bool first = All().Names.empty();
  All().Names.insert(FolderOf(fileName));
  return first;
}

bool FoldersWithoutNames::HasThatOf(const std::string& fileName)
{
  const std::lock_guard lock(All().Mutex);
  return !All().Names.empty() && All().Names.contains(FolderOf(fileName));
}

}
