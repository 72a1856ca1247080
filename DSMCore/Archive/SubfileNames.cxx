// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/SubfileNames.h"

#include <fmt/format.h>

namespace dsm
{

std::string SubfileNames::Configuration() const
{
  return fmt::format("{}.subfile_{}.config", this->Stub, this->Inode);
}

std::string SubfileNames::Subfile(std::uint64_t number, std::uint64_t count) const
{
  const auto width = std::to_string(count).size();
  return fmt::format("{}.subfile_{}_{:0{}}_of_{}", this->Stub, this->Inode, number, width, count);
}

}
