// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Peer/Connection.h"
#include "Peer/SharedGrants.h"
#include "Peer/SnapshotView.h"
#include "Protocol/Descriptions.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace dsm
{

/// An image that another process writes, read while it is written (HDF5's SWMR). Each read gets
/// what the writer's writes have put there, as from a file on disk. HDF5 orders the writes and
/// checks what it reads.
///
/// The reader takes no lease, so the writer never waits for it. If the image becomes a snapshot,
/// its bytes stay until that is evicted; reads throw Error(PeerLost) from then on. Not thread safe.
class LiveImage
{
public:
  /// Returns null if the slot has another image by now, or is none of the server's.
  static std::unique_ptr<LiveImage> Open(const std::shared_ptr<Connection>& connection,
    const std::string& fileName, const SlotAddress& place);

  /// Returns how many bytes the writer may have written by now. Grows.
  std::uint64_t Size() const { return this->Grants.Granted(); }

  /// Copies bytes, which are there when it returns. Bytes past the size are zero.
  void Read(FileOffset address, void* destination, std::uint64_t size) const;

  /// As SnapshotView::WayTo.
  Way WayTo(FileOffset address, std::uint64_t size) const
  {
    return this->View->WayTo(address, size);
  }

  const std::string& FileName() const { return this->View->Description().FileName; }

private:
  LiveImage(std::unique_ptr<SnapshotView> view, SharedGrants grants)
    : View(std::move(view))
    , Grants(std::move(grants))
  {
  }

  std::unique_ptr<SnapshotView> View;
  SharedGrants Grants;
  mutable std::uint64_t Known = 0; ///< the size when it was last asked for
};

}
