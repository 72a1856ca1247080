// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/OpenFiles.h"

#include "Driver/MemoryFile.h"

#include <map>
#include <mutex>

namespace dsm::openfiles
{

namespace
{
struct Table
{
  std::mutex Guard;
  std::map<const void*, OpenMemoryFile*> Files;
};

// Never destroyed: HDF5 may close files at the very end.
Table& TheTable()
{
  static Table* const table = new Table;
  return *table;
}
}

Entry::Entry(OpenMemoryFile& file)
  : Handle(&file.NoMpiFile)
{
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  table.Files[this->Handle] = &file;
}

Entry::~Entry()
{
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  table.Files.erase(this->Handle);
}

bool AreNone()
{
  Table& table = TheTable();
  const std::unique_lock lock(table.Guard, std::try_to_lock);
  return lock && table.Files.empty();
}

OpenMemoryFile* Find(hid_t file)
{
  void* handle = nullptr;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0)
  {
    return nullptr;
  }
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  const auto found = table.Files.find(handle);
  return found == table.Files.end() ? nullptr : found->second;
}

}
