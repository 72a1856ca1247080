// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Memory/SegmentLayout.h"
#include "Memory/SharedNumber.h"
#include "Peer/SlotFence.h"
#include "Protocol/Descriptions.h"
#include "Transport/Transport.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace dsm
{

/// The slot of an image on all hosts, as this process reaches it.
///
/// Offsets count from the beginning of the slot. Each access that changes bytes is preceded by
/// RequireKept, because the server may have given the slot to another image. Not thread safe, as
/// the transport is not.
class ImageSlot
{
public:
  /// `fileName` is the image's, for error messages.
  ImageSlot(std::shared_ptr<Transport> route, const ServerDescription& server,
    const ImageDescription& image, std::string fileName);

  const std::string& FileName() const { return this->Name; }
  std::uint64_t SlotNumber() const { return this->Slot; }
  std::uint64_t Hosts() const { return this->HostCount; }

  /// The transport that reaches the slot. It counts from the beginning of a host's segment, where
  /// the slot begins at Begin.
  const std::shared_ptr<Transport>& GetRoute() const { return this->Route; }
  std::uint64_t Begin() const { return this->SlotBegin; }

  /// \name As Transport has them
  ///@{
  void Put(HostIndex host, std::uint64_t offset, const void* source, std::uint64_t size) const
  {
    this->Route->Put(host, this->SlotBegin + offset, source, size);
  }
  void Get(HostIndex host, std::uint64_t offset, void* destination, std::uint64_t size) const
  {
    this->Route->Get(host, this->SlotBegin + offset, destination, size);
  }
  void Flush() const { this->Route->Flush(); }
  const std::byte* Direct(HostIndex host, std::uint64_t offset) const
  {
    return this->Route->Direct(host, this->SlotBegin + offset);
  }
  std::byte* Shared(HostIndex host, std::uint64_t offset) const
  {
    return this->Route->Shared(host, this->SlotBegin + offset);
  }
  void Reserve(HostIndex host, std::uint64_t offset, std::uint64_t size) const
  {
    this->Route->Reserve(host, this->SlotBegin + offset, size);
  }
  ///@}

  /// Returns true if this process reaches the slot on all hosts without them.
  bool IsMapped() const;

  /// Returns true if asking that host whether the slot is still the image's costs no more than a
  /// load from memory.
  bool IsMapped(HostIndex host) const { return this->Fence.IsMapped(host); }

  /// Returns the slot's number in a table of host 0, or none if this process does not map it.
  std::optional<SharedNumber> Number(SlotTable SegmentLayout::* table) const;

  /// Returns the slot's part of the chunk table of a host that this process maps.
  std::byte* ChunkTable(HostIndex host) const
  {
    return this->Route->Shared(host, this->Layout.ChunksOf(this->Slot));
  }

  /// Seconds of silence after which the server may have given this process up.
  Seconds Silence() const { return this->Patience; }

  /// Notes that this process runs. Returns true if it was away for so long that RequireKept has to
  /// ask all hosts.
  bool WasAway()
  {
    const auto now = Clock::now();
    const bool away = now - this->LastSeen > this->Patience / 5;
    this->LastSeen = now;
    return away;
  }

  /// Throws Error(PeerLost) if the server has given the image up and its slot to another. A host
  /// whose memory is not mapped is asked only after this process was `away`: that takes a round
  /// trip.
  void RequireKept(HostIndex host, bool away) const
  {
    if ((away || this->Fence.IsMapped(host)) && !this->Fence.Holds(host))
    {
      this->ThrowLost();
    }
  }

  /// The same for all hosts, which are all asked.
  void RequireKept() const;

private:
  [[noreturn]] void ThrowLost() const;

  std::string Name;
  std::shared_ptr<Transport> Route;
  SegmentLayout Layout;
  SlotIndex Slot;
  std::uint64_t SlotBegin;
  std::uint64_t HostCount;
  SlotFence Fence;
  Seconds Patience;
  Clock::time_point LastSeen = Clock::now();
};

}
