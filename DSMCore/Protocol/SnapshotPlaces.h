// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/AddressMap.h"
#include "Protocol/Descriptions.h"

#include <cstdint>
#include <optional>

namespace dsm
{

/// Where the bytes of a snapshot are in the hosts' segments: in its own slot, or, of what a flush
/// has shown, there and in the slot of the image that it shares.
class SnapshotPlaces
{
public:
  SnapshotPlaces() = default;
  SnapshotPlaces(const SnapshotDescription& snapshot, std::uint64_t slotSize);

  /// Calls visit(host, offset, position, length) for each run of [address, address + size) that is
  /// consecutive in one host's segment; `position` counts from `address`. The range must lie within
  /// the file.
  template <typename Visitor>
  void ForEachRun(FileOffset address, std::uint64_t size, Visitor&& visit) const
  {
    this->Map.ForEachRun(address, size,
      [&](HostIndex host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
      {
        if (!this->Shared)
        {
          visit(host, this->Own + offset, position, length);
          return;
        }
        this->Shared->Aside[host].ForEachRun(offset, length,
          [&](bool aside, std::uint64_t place, std::uint64_t done, std::uint64_t run)
          { visit(host, (aside ? this->Own : this->Image) + place, position + done, run); });
      });
  }

  const AddressMap& Mapping() const { return this->Map; }

  /// The run that begins at an address.
  struct Run
  {
    HostIndex Host = 0;
    std::uint64_t Offset = 0; ///< in its segment
    std::uint64_t Size = 0;   ///< perhaps beyond the file's end
  };
  Run At(FileOffset address) const;

  /// Whether bytes may move, or change, while the snapshot is read: see SnapshotFence.
  bool IsShared() const { return this->Shared.has_value(); }

private:
  AddressMap Map;
  std::optional<SharedBytes> Shared;
  std::uint64_t Own = 0; ///< where the slots begin
  std::uint64_t Image = 0;
};

}
