// SPDX-License-Identifier: BSD-3-Clause
#include "Base/FileUpdate.h"

#include "Base/Deadline.h"

#include <cerrno>
#include <thread>

#include <fcntl.h>

namespace dsm
{

namespace
{
constexpr Seconds Longest(1);
constexpr std::chrono::microseconds BetweenTries(50);

bool Change(int file, short type)
{
  struct flock lock = {}; // of the whole file
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return fcntl(file, F_OFD_SETLK, &lock) == 0;
}
}

FileUpdate::FileUpdate(int file)
  : File(file)
{
  for (const Deadline deadline(Longest);
    !Change(file, F_WRLCK) && (errno == EAGAIN || errno == EACCES) && !deadline.Expired();)
  {
    std::this_thread::sleep_for(BetweenTries);
  }
}

FileUpdate::~FileUpdate()
{
  Change(this->File, F_UNLCK);
}

}
