// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/ByteRange.h"
#include "Mapping/Strategy.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

namespace dsm
{

/// A strategy with its parameters, as one value.
///
/// Of a file that has outgrown the hosts' memory, the strategy says where the addresses below
/// DiskShare::From are. The rest is dealt out to the hosts' disks in blocks of 1 MiB in turn,
/// whatever the strategy. Offsets of both count in one range, with a gap between them:
///
///     address   0 .............. From ..................
///     offset    0 ... memory ...  (gap)  Disk.Offset ... disk
class AddressMap
{
public:
  AddressMap() = default;

  /// Throws Error(Usage) when the strategy is unknown, there is no host, or a size is zero or does
  /// not fit (a block larger than a host's capacity, a share on disk that begins within memory).
  explicit AddressMap(const MapParameters& parameters);

  const MapParameters& Parameters() const { return this->Given; }
  std::uint64_t Capacity() const;
  Location Locate(FileOffset address) const
  {
    if (address >= this->MemoryEnd)
    {
      return this->LocateOnDisk(address);
    }
    Location place = this->How->Locate(address);
    place.Run = std::min(place.Run, this->MemoryEnd - address);
    return place;
  }
  FileOffset Address(HostIndex host, std::uint64_t offset) const;

  /// As Strategy has it; of a file that reaches the disk, there.
  std::uint64_t LocalSize(HostIndex host, std::uint64_t fileSize) const;

  /// What a file of that size has in a host's memory, and on its disk: bytes.
  std::uint64_t MemorySize(HostIndex host, std::uint64_t fileSize) const
  {
    return this->How->LocalSize(host, std::min(fileSize, this->MemoryEnd));
  }
  std::uint64_t DiskSize(HostIndex host, std::uint64_t fileSize) const;

  /// The offsets of all that such a file has on a host in the same place, in memory or on disk, as
  /// what is at an offset.
  ByteRange Held(HostIndex host, std::uint64_t offset, std::uint64_t fileSize) const;

  /// Whether some of a file may be on disk.
  bool ReachesDisk() const { return this->OnDisk != nullptr; }

  /// The same file, of which all is in memory.
  AddressMap InMemory() const;

  /// Calls visit(host, offset, position, length) for each run of [address, address + size) that is
  /// consecutive on one host, in file order; `position` counts from `address`. The range must lie
  /// below Capacity().
  template <typename Visitor>
  void ForEachRun(FileOffset address, std::uint64_t size, Visitor&& visit) const
  {
    for (std::uint64_t done = 0; done < size;)
    {
      const Location place = this->Locate(address + done);
      const std::uint64_t length = place.Run < size - done ? place.Run : size - done;
      visit(place.Host, place.Offset, done, length);
      done += length;
    }
  }

private:
  Location LocateOnDisk(FileOffset address) const;

  MapParameters Given;
  std::shared_ptr<const Strategy> How;
  std::shared_ptr<const Strategy> OnDisk; ///< of the addresses from MemoryEnd on; null: none
  std::uint64_t MemoryEnd = std::numeric_limits<std::uint64_t>::max();
};

}
