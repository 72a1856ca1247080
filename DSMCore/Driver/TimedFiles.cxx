// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/TimedFiles.h"

#include "Base/Log.h"
#include "Driver/MemoryFile.h"
#include "Protocol/FilePolicy.h"

#include <atomic>
#include <map>
#include <mutex>

namespace dsm::timedfiles
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

OpenMemoryFile* Find(const void* handle)
{
  Table& table = TheTable();
  const std::lock_guard lock(table.Guard);
  const auto found = table.Files.find(handle);
  return found == table.Files.end() ? nullptr : found->second;
}

bool IsCollective(hid_t transfer)
{
#ifdef H5_HAVE_PARALLEL
  H5FD_mpio_xfer_t mode = H5FD_MPIO_INDEPENDENT;
  return H5Pget_dxpl_mpio(transfer, &mode) >= 0 && mode == H5FD_MPIO_COLLECTIVE;
#else
  static_cast<void>(transfer);
  return false;
#endif
}

// Whether all who write the file are here.
bool IsSafe(const OpenMemoryFile& file, hid_t transfer)
{
  if (!file.Parallel || file.Shared.Size() == 1 || IsCollective(transfer))
  {
    return true;
  }
  static std::atomic<bool> told{ false };
  if (file.Shared.Rank() == 0 && !told.exchange(true))
  {
    Log().warn("a file of {} ranks that write each for itself is not shown by the time "
               "(DSM_PUBLISH), since there is no moment at which all could flush it: it is seen "
               "behind collective writes, at each H5Fflush, and when it is closed",
      file.Shared.Size());
  }
  return false;
}

void ShowIfDue(hid_t id, hid_t transfer)
{
  void* handle = nullptr;
  if (H5Fget_vfd_handle(id, H5P_DEFAULT, &handle) < 0)
  {
    return;
  }
  OpenMemoryFile* file = Find(handle);
  const auto interval = PublishInterval();
  if (file && interval && IsSafe(*file, transfer) && file->File->IsDue(*interval) &&
    H5Fflush(id, H5F_SCOPE_GLOBAL) < 0)
  {
    Log().warn("a file could not be shown by the time (DSM_PUBLISH): HDF5 did not flush it");
  }
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

void Written(hid_t dataset, hid_t transfer) noexcept
{
  try
  {
    const hid_t file = H5Iget_file_id(dataset);
    if (file >= 0)
    {
      ShowIfDue(file, transfer);
      H5Fclose(file);
    }
  }
  catch (const std::exception& error)
  {
    Log().warn("a file could not be shown by the time (DSM_PUBLISH): {}", error.what());
  }
}

}
