// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/Strategy.h"

#include <cstdint>
#include <string>

namespace dsm
{

/// In which form a snapshot is put on disk.
struct FileForm
{
  /// Each subfile has what that many hosts have in memory; 0: there is one plain file.
  std::uint64_t HostsPerSubfile = 0;

  /// "single"; "subfiles": one for each host; or "subfiles 4": one for each four hosts. Throws
  /// Error(Usage) for anything else.
  static FileForm FromText(const std::string& text);

  bool IsSingle() const { return this->HostsPerSubfile == 0; }

  /// How many subfiles there are of a snapshot with that map.
  std::uint64_t Subfiles(const MapParameters& map) const;

  /// The size of their stripes, in bytes. With "block cyclic" each subfile has what its hosts have,
  /// and nobody else's; with one host for each it is byte by byte what that has in memory.
  std::uint64_t StripeSize(const MapParameters& map) const;
};

}
