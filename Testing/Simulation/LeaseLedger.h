// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/RequestId.h"
#include "Journal.h"
#include "Server/Core/SnapshotTable.h"

#include <cstdint>
#include <map>

namespace dsm::simulation
{

/// The leases that peers were granted and have not closed. Their snapshots must stay.
class LeaseLedger
{
public:
  explicit LeaseLedger(Journal& journal)
    : Notes(journal)
  {
  }

  void Granted(const PeerId& peer, std::uint64_t lease, SnapshotId snapshot);
  /// The peer took the snapshot, which may leave as soon as another has read it.
  void Taken(const PeerId& peer, std::uint64_t lease, SnapshotId snapshot);
  void Closed(const PeerId& peer, std::uint64_t lease);
  void PeerLeft(const PeerId& peer);

  /// A snapshot that shares an image's bytes may leave at any time: there may be no room for copies
  /// of these bytes.
  void Revoked(SnapshotId snapshot);

  void Check(const SnapshotTable& snapshots);
  bool Has(const PeerId& peer, std::uint64_t lease) const;

private:
  struct Lease
  {
    SnapshotId Snapshot = 0;
    bool IsTaken = false;
  };

  Journal& Notes;
  std::map<PeerId, std::map<std::uint64_t, Lease>> Leases; ///< by their numbers
};

}
