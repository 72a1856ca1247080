// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/AddressMap.h"
#include "Peer/FrozenBytes.h"
#include "Peer/ImageConnection.h"
#include "Peer/ImageSlot.h"
#include "Protocol/Descriptions.h"

#include <cstdint>
#include <vector>

namespace dsm
{

/// The bytes of an image that snapshots share, which this rank has kept for them before it changes
/// them.
///
/// Not thread safe, as the transport is not.
class SharedPages
{
public:
  /// For each host, ranges of the slot.
  using Lists = std::vector<std::vector<ByteRange>>;

  /// What the image begins with is shared. The slot and the connection must outlive this.
  SharedPages(const ImageDescription& image, const ImageSlot& slot, ImageConnection& server);

  /// Returns true if snapshots may share what is at that offset.
  bool IsShared(HostIndex host, std::uint64_t offset) const
  {
    return this->Frozen[host].IsFrozen(offset);
  }

  /// Prepares bytes that are about to be changed. If the server is lost, nobody keeps them: then
  /// readers of the snapshots learn that these have changed.
  void Change(HostIndex host, const ByteRange& bytes)
  {
    if (this->IsShared(host, bytes.Begin))
    {
      this->Keep(host, bytes);
    }
  }

  /// Returns what this rank has changed since the last Freeze: those are likely to change again.
  Lists Changed() const;

  /// Returns what any rank has changed.
  static Lists Union(const std::vector<Lists>& ranks);

  /// A snapshot shares all that a file of that size has, but what is `changing`: that it has copies
  /// of.
  void Freeze(const AddressMap& map, std::uint64_t fileSize, const Lists& changing);

private:
  void Keep(HostIndex host, const ByteRange& bytes);

  const ImageSlot& Slot;
  ImageConnection& Server;
  ImageId Image;
  std::uint64_t Key;
  std::uint64_t Generation;
  std::vector<FrozenBytes> Frozen; ///< for each host
};

}
