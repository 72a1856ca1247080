// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/TimedFiles.h"

#include "Base/Log.h"
#include "Driver/MemoryFile.h"
#include "Protocol/FilePolicy.h"

#include <atomic>
namespace dsm::timedfiles
{

namespace
{
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
  const OpenMemoryFile* file = openfiles::Find(id);
  const auto interval = PublishInterval();
  if (file && interval && !file->File->IsReadOnly() && IsSafe(*file, transfer) &&
    file->File->IsDue(*interval) && H5Fflush(id, H5F_SCOPE_GLOBAL) < 0)
  {
    Log().warn("a file could not be shown by the time (DSM_PUBLISH): HDF5 did not flush it");
  }
}
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
