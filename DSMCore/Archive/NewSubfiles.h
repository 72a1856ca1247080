// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Archive/NewFile.h"
#include "Archive/StripedFiles.h"
#include "Archive/SubfileNames.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dsm
{

/// A file in subfiles, as HDF5's Subfiling driver reads it and its h5fuse joins it:
///
///     out.h5                       the stub, an empty file whose inode names the others
///     out.h5.subfile_4711.config   the size of a stripe, and the subfiles in their order
///     out.h5.subfile_4711_1_of_2   stripes 0, 2, 4, …
///     out.h5.subfile_4711_2_of_2   stripes 1, 3, 5, …
///
/// They have these names only when they are whole. The stub is the last to get its own: then the
/// file is there, and what had its place has gone with its subfiles. All throw Error(System).
class NewSubfiles
{
public:
  /// `access`: of all of these, as NewFile has it.
  NewSubfiles(const std::string& path, std::uint64_t count, std::uint64_t stripeSize,
    const std::optional<FileAccess>& access = {});

  /// What is to be filled.
  StripedFiles Files() const;

  void Finish();

private:
  NewFile Stub;
  const SubfileNames Names;
  const std::uint64_t StripeSize;
  const std::optional<FileAccess> Access;
  std::vector<std::string> Paths;
  std::vector<std::unique_ptr<NewFile>> Subfile;
};

}
