// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace dsm
{

/// What the files are called that HDF5's Subfiling driver looks for beside a stub: by its name and
/// its inode.
class SubfileNames
{
public:
  SubfileNames(std::string stub, std::uint64_t inode)
    : Stub(std::move(stub))
    , Inode(inode)
  {
  }

  /// "out.h5.subfile_4711.config"
  std::string Configuration() const;

  /// "out.h5.subfile_4711_02_of_12"; the first is number 1.
  std::string Subfile(std::uint64_t number, std::uint64_t count) const;

  const std::string& StubPath() const { return this->Stub; }

private:
  std::string Stub;
  std::uint64_t Inode;
};

}
