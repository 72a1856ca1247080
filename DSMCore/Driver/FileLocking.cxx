// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/FileLocking.h"

#include "Base/Environment.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace dsm
{

bool UsesFileLocking(hid_t fapl)
{
  const auto asked = environment::Text("HDF5_USE_FILE_LOCKING");
  if (asked == "FALSE" || asked == "0")
  {
    return false;
  }
  if (asked == "TRUE" || asked == "1" || asked == "BEST_EFFORT")
  {
    return true;
  }
  hbool_t use = true;
  hbool_t ignore = false; // a file system without locks: memory has them
  return H5Pget_file_locking(fapl, &use, &ignore) < 0 || use;
}

std::string LockedOnDiskText(const std::string& path)
{
  return fmt::format("unable to lock {}: another program has the file on disk open (errno = {}, "
                     "error message = '{}'). Try again when it is closed",
    path, EAGAIN, std::strerror(EAGAIN));
}

}
