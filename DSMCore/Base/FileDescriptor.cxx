// SPDX-License-Identifier: BSD-3-Clause
#include "Base/FileDescriptor.h"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace dsm
{

FileDescriptor::~FileDescriptor()
{
  if (this->IsOpen())
  {
    close(this->Number);
  }
}

int FileDescriptor::Close()
{
  return close(std::exchange(this->Number, -1));
}

bool SameFile(int descriptor, const std::string& path)
{
  struct stat open = {};
  struct stat named = {};
  return fstat(descriptor, &open) == 0 && stat(path.c_str(), &named) == 0 &&
    open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}
