// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Protocol/SnapshotMessages.h"
#include "Server/Core/AllocationService.h"
#include "Server/Core/Call.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/DiskBook.h"
#include "Server/Core/FileLocks.h"
#include "Server/Core/ImageManager.h"
#include "Server/Core/LeaseBook.h"
#include "Server/Core/PeerRegistry.h"
#include "Server/Core/RunService.h"
#include "Server/Core/ServerMessages.h"
#include "Server/Core/SnapshotEvents.h"
#include "Server/Core/SnapshotTable.h"
#include "Server/Core/Waiters.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

class RequestRouter;

/// Leases snapshots to readers, and answers those that wait for one.
class ReadService final : public SnapshotObserver
{
public:
  /// The objects that the service uses; all must outlive it.
  struct Parts
  {
    CoreState& State;
    PeerRegistry& Peers;
    ImageManager& Images;
    LeaseBook& Leases;
    AllocationService& Allocations;
    RunService& Runs;
    const DiskBook& Disk;
    const FileLocks& Locks;
    SlotSignals& Slots;
    const SnapshotEvents& Events;
    Waiters& Waiting;
  };

  explicit ReadService(const Parts& parts)
    : Part(parts)
  {
  }

  /// Takes its requests from a router, which must not outlive this service.
  void Serve(RequestRouter& router);
  void Handle(const Call& call, const OpenSnapshot& message);
  void Handle(const Call& call, const OpenForRank& message);
  void Handle(const Call& call, const CloseForRank& message);
  void Handle(const Call& call, const LocateSnapshot& message);
  void Handle(const Call& call, const HoldSnapshots& message);
  void Handle(const Call& call, const CloseSnapshot& message);
  /// A rank without a channel asks as well.
  void Handle(const Call& call, const FindOnDisk& message);
  void Handle(const Call& call, const ListSnapshots& message);
  void Handle(const Call& call, const DeleteFile& message);
  void Handle(const Call& call, const RenameFile& message);
  void Handle(const Call& call, const TakeSnapshot& message);
  void Handle(const Call& call, const DropSnapshot& message);
  void Handle(const Call& call, const AwaitSnapshot& message);

  /// Answers the peers that wait, if what they wait for is there or will not come.
  void ServeWaiting();

  /// Ends joint reads that have gone on for too long.
  void EndLateReads();

  /// Returns true if a simulation was connected, and none is that could write a snapshot.
  bool NoneWillCome() const;

  /// Returns true if several ranks read a snapshot, which may move meanwhile.
  bool RanksRead() const;

  /// The snapshots for those who choose among them. Where the bytes are is told at open.
  std::vector<SnapshotDescription> Listed(bool hiddenToo = false) const;

  /// \name The host program reads
  ///@{
  /// Null if there is none above `after`.
  const SnapshotDescription* After(SnapshotId after, bool next) const;
  SnapshotDescription Take(SnapshotId number);
  void Release(SnapshotId number);
  ///@}

  void OnAllAnnounced() override;
  void OnPeerLeft(const PeerLeft& left) override;

private:
  /// Answers a request and returns true, or returns false and is called again later. If it throws,
  /// the request is refused.
  using Attempt = std::function<bool()>;

  /// A peer that asks for a file whose writer has ended. It waits until the server has heard of
  /// that.
  struct Opener
  {
    Call Request;
    PeerId Reader;
    Attempt Try;
  };

  /// A peer that waits for any snapshot.
  struct Taker
  {
    Call Request;
    TakeSnapshot Wanted;
    Clock::time_point Until;
  };

  /// A peer that waits for a snapshot of one file, or of any file.
  struct Awaiter
  {
    Call Request;
    AwaitSnapshot Wanted;
    Clock::time_point Until;

    bool TakesAny() const { return this->Wanted.File.empty(); }
  };

  const SnapshotTable& Table() const { return this->Part.Images.Snapshots(); }
  SnapshotTable& Table() { return this->Part.Images.Snapshots(); }
  Clock::time_point In(double seconds) const;
  bool IsOver(Clock::time_point until) const { return this->Part.State.Time.Now >= until; }
  bool IsWriterEnding(ImageId image) const;
  ImageId WriterOf(const OpenSnapshot& message) const;
  ImageId WriterOf(const FindOnDisk& message) const;
  void TryOrWait(const Call& call, const PeerId& reader, const Attempt& attempt);
  bool TryOpen(
    const Call& call, const PeerId& id, std::uint64_t lease, const OpenSnapshot& message);
  bool TryFind(const Call& call, const FindOnDisk& message) const;
  static bool Serve(const Opener& opener);
  const SnapshotDescription& Lease(
    const PeerId& id, Peer& peer, std::uint64_t number, const OpenSnapshot& message);
  SnapshotId FindNewestOf(const UnfinishedFile& file) const;
  SnapshotId FindNewestBehind(SnapshotId number, const std::string& identity) const;
  void RequireInRing(SnapshotId number) const;
  void RequireOpen(ImageId image, const std::string& file) const;
  void RequireRoom(const PeerId& id, const Peer& peer) const;
  void WatchMemoryFor(const Peer& peer) const;
  bool NoneWillCome(const Awaiter& one) const;
  bool Serve(const Awaiter& one, bool noneWillCome);
  bool Serve(const Taker& taker);

  const Parts Part;
  std::vector<Opener> Openers;
  std::vector<Taker> Takers;
  std::vector<Awaiter> Awaiters;
};

}
