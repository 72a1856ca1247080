// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/NotYetOnDisk.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Driver/Placeholder.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <vector>

namespace dsm
{

namespace
{
constexpr std::size_t MostFiles = 1000;
constexpr std::size_t MostNamed = 3;

struct File
{
  std::string Contact;
  std::string Name;
  std::optional<FileMark> There;
};

struct Files
{
  std::mutex Mutex;
  std::deque<File> All;
};

Files& Known()
{
  // HDF5 closes what is open when the process ends: this is still there then.
  static auto& files = *new Files;
  return files;
}

bool IsStillMissing(const File& file)
{
  if (file.There)
  {
    return FileMark::Of(file.Name) == file.There;
  }
  try
  {
    const auto placeholder = Placeholder::Read(file.Name);
    return placeholder && placeholder->Address.Contact == file.Contact;
  }
  catch (const Error&)
  {
    return false; // it is another version's
  }
}
}

void NotYetOnDisk::Add(
  const std::string& contact, const std::string& fileName, const std::optional<FileMark>& there)
{
  Files& files = Known();
  const std::lock_guard lock(files.Mutex);
  std::erase_if(files.All, [&](const File& file) { return file.Name == fileName; });
  files.All.push_back({ contact, fileName, there });
  if (files.All.size() > MostFiles)
  {
    files.All.pop_front();
  }
}

void NotYetOnDisk::Warn(const std::string& contact)
{
  std::vector<File> candidates;
  {
    Files& files = Known();
    const std::lock_guard lock(files.Mutex);
    std::erase_if(files.All,
      [&](const File& file)
      {
        const bool one = file.Contact == contact;
        if (one)
        {
          candidates.push_back(file);
        }
        return one;
      });
  }
  std::erase_if(candidates, [](const File& file) { return !IsStillMissing(file); });
  if (candidates.empty())
  {
    return;
  }
  std::string names;
  for (std::size_t file = 0; file < std::min(candidates.size(), MostNamed); ++file)
  {
    names += (names.empty() ? "" : ", ") + candidates[file].Name;
  }
  if (candidates.size() > MostNamed)
  {
    names += fmt::format(" and {} more", candidates.size() - MostNamed);
  }
  Log().warn(
    "closed before and not on disk yet, so in its memory only, and lost if it has ended: {}",
    names);
}

}
