// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/FileOpenHere.h"

#include <mutex>
#include <set>
#include <utility>

namespace dsm
{

namespace
{
struct OpenFiles
{
  std::mutex Mutex;
  std::multiset<std::string> Identities;
};

OpenFiles& All()
{
  // HDF5 closes what is open when the process ends: this is still there then.
  static auto& files = *new OpenFiles;
  return files;
}
}

FileOpenHere::FileOpenHere(std::string identity)
  : Identity(std::move(identity))
{
  const std::lock_guard lock(All().Mutex);
  All().Identities.insert(this->Identity);
}

FileOpenHere::~FileOpenHere()
{
  const std::lock_guard lock(All().Mutex);
  All().Identities.erase(All().Identities.find(this->Identity));
}

bool FileOpenHere::Any()
{
  const std::lock_guard lock(All().Mutex);
  return !All().Identities.empty();
}

bool FileOpenHere::Exists(const std::string& identity)
{
  const std::lock_guard lock(All().Mutex);
  return All().Identities.contains(identity);
}

}
