// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/ByteRanges.h"
#include "Memory/DeviceRegistrations.h"
#include "Memory/Segment.h"
#include "Protocol/Descriptions.h"
#include "Transport/Transport.h"

#include <optional>
#include <vector>

namespace dsm
{

/// Every host's segment mapped into this process: a put is one memcpy, done when it returns.
/// Reaches the hosts on this node. What they have on disk of files that do not fit memory is mapped
/// as well: the system reads it when it is wanted.
class SharedMemory final : public Transport
{
public:
  /// Maps the segments of the hosts listed. Throws Error(NoServer) when one is gone.
  SharedMemory(const ServerDescription& server, const std::vector<HostIndex>& hosts);

  std::string Name() const override { return "shared-memory"; }
  void Put(HostIndex host, std::uint64_t offset, const void* source, std::uint64_t size) override;
  void Get(HostIndex host, std::uint64_t offset, void* destination, std::uint64_t size) override;
  void PutPieces(HostIndex host, std::span<const PutPiece> pieces) override;
  void GetPieces(HostIndex host, std::span<const GetPiece> pieces) override;
  void Flush() override;
  const std::byte* Direct(HostIndex host, std::uint64_t offset) const override;
  bool MapPrivate(
    HostIndex host, std::uint64_t offset, std::byte* place, std::uint64_t size) const override;
  bool TakesDeviceMemory() const override { return true; }
  void Reserve(HostIndex host, std::uint64_t offset, std::uint64_t size) override;

private:
  struct Mapping
  {
    Segment Memory;
    /// What this process's page tables know, in whole chunks: as much bookkeeping as there are
    /// ranges that it has written, however large the segment.
    ByteRanges Mapped;
    bool HasDisk = false;
    DeviceRegistrations Registered; ///< of memory that is pinned
  };

  static std::optional<ByteRange> Unknown(
    const Mapping& mapping, std::uint64_t offset, std::uint64_t size);
  void Enter(Mapping& mapping, const ByteRange& chunks) const;
  void RegisterWith(const DeviceBuffers::Place& device, Mapping& mapping, std::uint64_t offset,
    std::uint64_t size) const;
  void PutFromDevice(const DeviceBuffers::Place& device, Mapping& mapping, std::uint64_t offset,
    const void* source, std::uint64_t size) const;
  void PutOntoNew(
    Mapping& mapping, std::uint64_t offset, const std::byte* source, std::uint64_t size) const;
  std::byte* At(HostIndex host, std::uint64_t offset) const;
  void FollowDisk(Mapping& mapping) const;

  bool IsPinned;               ///< pages of the segments stay
  std::uint64_t DiskBegin = 0; ///< from there on a segment is on disk
  std::uint64_t DiskFile = 0;  ///< where a host says by what that is found
  /// A host's disk is followed when something is wanted of it.
  mutable std::vector<Mapping> Hosts;
};

}
