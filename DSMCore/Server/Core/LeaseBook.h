// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/RequestId.h"
#include "Protocol/SnapshotMessages.h"
#include "Server/Core/JointReads.h"

#include <cstdint>
#include <map>
#include <string>

namespace dsm
{

class SnapshotTable;

/// Which peers have which snapshots open: each lease retains its snapshot in the ring until it
/// ends, or its peer goes. Ranks that read together get the same one, which stays until all have
/// it (JointReads). Not thread safe.
class LeaseBook
{
public:
  /// Why a peer has a snapshot open.
  struct Lease
  {
    SnapshotId Snapshot = 0;
    bool Peek = false;     ///< its end does not count as having read the snapshot
    std::string Viewer{};  ///< whose ranks read it together; empty: not a joint read
    SnapshotId Wanted = 0; ///< the number that those asked for
    bool Taken = false;    ///< by a program that is done with the snapshot when it says so
    bool Spare = false;    ///< the snapshot is spared (SnapshotTable::Spare) and not retained
  };

  /// The most snapshots that a process may have open.
  static constexpr std::uint64_t Most = 4096;

  /// Both must outlive this.
  LeaseBook(SnapshotTable& snapshots, const CoreTime& time);

  /// Throws Error(Refused) when a peer of so many processes has as many open as it may.
  void RequireRoom(const PeerId& peer, std::uint64_t processes) const;

  /// Leases what a request names for a peer, by that number, or by the next one that is free.
  /// Returns what it is; good until the table changes. A guest's lease is a peek: what it has read
  /// may still be unread by those whom the ring keeps it for. Throws Error(Refused) where there is
  /// no such snapshot, Error(Gone) where it was the newest of its name and has left the ring.
  const SnapshotDescription& Open(
    const PeerId& peer, std::uint64_t number, const OpenSnapshot& message, bool isGuest);

  /// The number by which it was leased, one of this server's.
  std::uint64_t Grant(const PeerId& peer, Lease lease);
  /// By a number of the peer's own. False where that is taken, or the peer has as many as it may.
  bool Enter(const PeerId& peer, std::uint64_t number, Lease lease);
  /// What nobody had leased so far, and the caller has retained already.
  std::uint64_t Inherit(const PeerId& peer, SnapshotId snapshot);

  /// A number that was never used.
  std::uint64_t NextNumber() { return ++this->Last; }

  /// What a peer has leased by a number; null: nothing that is still there.
  const SnapshotDescription* Find(const PeerId& peer, std::uint64_t number) const;

  /// Whether a peer has a lease that retains a snapshot.
  bool HasAny(const PeerId& peer) const;

  /// Nothing where there is none of that number.
  void End(const PeerId& peer, std::uint64_t number);

  /// All of a peer's. `lost`: it may not have been done with them.
  void EndAll(const PeerId& peer, bool lost);

  /// Lets go of what ranks were to read together that have not come for ten seconds; whether there
  /// was any.
  bool EndLate();

private:
  const SnapshotDescription& Chosen(const OpenSnapshot& message) const;
  void RequireNewest(const OpenSnapshot& message) const;
  void Retain(const PeerId& peer, std::uint64_t number, Lease lease);
  void LetGo(const PeerId& peer, const Lease& lease, bool lost);

  SnapshotTable& Snapshots;
  std::map<PeerId, std::map<std::uint64_t, Lease>> Leases; ///< of those that have some
  JointReads Joint;
  std::uint64_t Last = 0;
};

}
