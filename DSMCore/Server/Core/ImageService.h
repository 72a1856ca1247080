// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Protocol/ImageMessages.h"
#include "Server/Core/AllocationService.h"
#include "Server/Core/AnnouncementService.h"
#include "Server/Core/Call.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/DiskBook.h"
#include "Server/Core/FileLocks.h"
#include "Server/Core/GrowthService.h"
#include "Server/Core/HostPresence.h"
#include "Server/Core/HostService.h"
#include "Server/Core/ImageManager.h"
#include "Server/Core/LeaseBook.h"
#include "Server/Core/PeerRegistry.h"
#include "Server/Core/PreallocationService.h"
#include "Server/Core/RunService.h"
#include "Server/Core/SettingsService.h"
#include "Server/Core/SlotSignals.h"
#include "Server/Core/SnapshotEvents.h"
#include "Server/Core/Waiters.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace dsm
{

class RequestRouter;

/// Takes images from their begin to the snapshots that become of them.
class ImageService final : public SnapshotObserver
{
public:
  /// The objects that the service uses; all must outlive it.
  struct Parts
  {
    CoreState& State;
    PeerRegistry& Peers;
    const HostPresence& Presence;
    ImageManager& Images;
    LeaseBook& Leases;
    DiskBook& Disk;
    FileLocks& Locks;
    HostService& Hosts;
    AllocationService& Allocations;
    GrowthService& Growth;
    PreallocationService& Preallocation;
    RunService& Runs;
    AnnouncementService& Announcer;
    SettingsService& Settings;
    SlotSignals& Slots;
    const SnapshotEvents& Events;
    Waiters& Waiting;
  };

  /// `writesToDisk`: whether somebody carries out what the disk rule says.
  ImageService(const Parts& parts, std::function<bool()> writesToDisk);

  /// Takes its requests from a router, which must not outlive this service.
  void Serve(RequestRouter& router);
  void Handle(const Call& call, const BeginImage& message);
  void Handle(const Call& call, const SealImage& message);
  void Handle(const Call& call, const PublishImage& message);
  void Handle(const Call& call, const ConfirmCopy& message);
  void Handle(const Call& call, const FinishImage& message);
  void Handle(const Call& call, const NoteFlush& message);
  void Handle(const Call& call, const DiscardImage& message);

  void OnPeerLeft(const PeerLeft& left) override;

  /// A file that its writer has left, and the snapshot that its name shows from now on.
  struct LeftFile
  {
    std::string Name;
    ImageId Image = 0;
    SnapshotId Before = 0; ///< the last snapshot of the file before the image ended; 0: none
    /// The snapshot of its last flush or close. If there is none, the snapshot that the name showed
    /// before. 0: there is none either.
    SnapshotId Number = 0;
    std::uint64_t Size = 0; ///< of that snapshot, bytes
  };

  /// Is called for each file that was not closed, and for the last file that a lost writer closed.
  std::function<void(const LeftFile&)> FileLeft = [](const LeftFile&) {};

  /// Is called when a name shows a snapshot again that has left the ring since: what was written in
  /// its place came to nothing.
  std::function<void(const std::string& name, SnapshotId gone)> GoneIsShown = [](const std::string&,
                                                                                SnapshotId) {};

  /// Returns true while hosts freeze a file that its writer has left open.
  bool IsEndingUnfinished() const;

private:
  void RequireTaking() const;
  void RequireWriter(const Call& call, ImageId image);
  SnapshotGroups::Writer WriterOf(const PeerId& peer, std::uint64_t ranks);
  FileLocks::File FileOf(const BeginImage& message) const;
  SnapshotId NewestOf(const FileLocks::File& file) const;
  SnapshotId FamilyOf(ImageId image, SnapshotId before) const;
  SnapshotId SourceOf(const BeginImage& message, const FileLocks::File& file) const;
  void RequireLockable(const FileLocks::File& file, bool isNew) const;
  void CloseBase(ImageId image);
  void RequireNewestBase(ImageId image) const;
  void TellIfGone(ImageId image, const std::string& name) const;
  bool MayOutgrow(const PeerDescription& writer, const std::string& fileName) const;
  /// A request that needs memory, and when it came.
  template <typename Message>
  struct Wanted
  {
    Call From;
    Message What;
    Clock::time_point Since;
  };
  bool TryBegin(const Wanted<BeginImage>& wanted);
  void NoteBegun(const BeginImage& message, const Peer& writer, const ImageBegun& begun);
  void ReleaseSource(const ImageManager::Granted& granted);
  void TakeBack(const ImageManager::Granted& granted);
  void Grant(const Wanted<BeginImage>& wanted, const ImageManager::Granted& granted,
    const TaskFailure& failure);
  bool TryPublish(const Wanted<PublishImage>& wanted);
  void EnterName(ImageId image, const NameLeft& name);
  void EnterWhole(SnapshotId number, const NameLeft& name);
  void Announce(const SnapshotSealed& snapshot);
  void EndWithoutSnapshot(const ImageEnded& image);
  void PublishEnded(const ImageEnded& image);
  void ReleaseNotKept(ImageId image);
  void Drop(ImageId image, const std::string& why);
  void EndUnfinished(ImageId image, const std::string& why);
  void TellUnfinished(ImageId image, const std::string& file) const;
  std::uint64_t FlushedSize(ImageId image) const;
  void SealFlushed(ImageId image, std::uint64_t size);

  const Parts Part;
  const std::function<bool()> WritesToDisk;
  std::map<PeerId, LeftFile> LastOf; ///< the last file that each peer has closed
};

}
