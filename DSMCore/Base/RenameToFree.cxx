// SPDX-License-Identifier: BSD-3-Clause
#include "Base/RenameToFree.h"

#include <cerrno>
#include <cstdio>

#include <unistd.h>

namespace dsm
{

bool RenameToFree(const std::string& from, const std::string& to)
{
  // A link takes no other file's place.
  if (link(from.c_str(), to.c_str()) == 0)
  {
    unlink(from.c_str());
    return true;
  }
  return errno != EEXIST && std::rename(from.c_str(), to.c_str()) == 0;
}

}
