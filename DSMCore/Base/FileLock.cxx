// SPDX-License-Identifier: BSD-3-Clause
#include "Base/FileLock.h"

#include <cerrno>

#include <sys/file.h>

namespace dsm
{

bool IsLockedByOthers(int file, int kind)
{
  const bool isLocked = flock(file, kind | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!isLocked)
  {
    flock(file, LOCK_UN);
  }
  return isLocked;
}

}
