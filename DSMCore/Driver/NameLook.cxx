// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/NameLook.h"

#include <utility>

#include <sys/stat.h>

namespace dsm
{

NameLook::NameLook(std::string path)
  : Path(std::move(path))
{
  struct stat status = {};
  this->Exists = stat(this->Path.c_str(), &status) == 0;
  this->Mark = this->Exists ? FileMark::Of(status) : std::nullopt;
}

bool NameLook::Explains(Fault fault) const
{
  return IsMissing(fault) && FileMark::Of(this->Path) != this->Mark;
}

}
