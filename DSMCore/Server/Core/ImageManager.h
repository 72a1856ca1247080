// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/CopyOnWrite.h"
#include "Server/Core/Evictor.h"
#include "Server/Core/FlushPublisher.h"
#include "Server/Core/GrantExtender.h"
#include "Server/Core/GrantSizes.h"
#include "Server/Core/ImageAllocator.h"
#include "Server/Core/ImageCloser.h"
#include "Server/Core/ImageRequests.h"
#include "Server/Core/ImageState.h"
#include "Server/Core/MapChoice.h"
#include "Server/Core/Preallocator.h"
#include "Server/Core/RingReport.h"
#include "Server/Core/SlotWork.h"
#include "Server/Core/SnapshotBuilder.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// Owns the state of a server's images, which the classes that manage them share:
///
///     Begin -> (Extend)* -> Seal    -> a snapshot -> evicted when its memory is needed
///                        -> Finish, when the last flush shows all there is
///                        -> Drop,   when its writer is lost or discards it
///     Publish -> (the hosts copy) -> Confirm -> a snapshot, while the image is written further
///     Keep -> (the hosts copy) -> ConfirmKept, before bytes change that such snapshots share
///
/// A request for memory has one of three outcomes. It is granted. Or it is to wait, because a
/// snapshot may be read or released (std::nullopt). Or it is refused, because waiting cannot help
/// (Error(RingFull)). Requests about an unknown image are an Error(PeerLost), and sizes that no
/// file of its address map can have an Error(Refused): the image stays as it was.
///
/// Decisions only: no message, no lock, no thread, no clock, no memory of its own. Not thread safe.
class ImageManager
{
public:
  using Policy = ImagePolicy;
  using Work = SlotWork;
  using OpenImage = dsm::OpenImage;
  using Granted = BeginResult;
  using Extended = GrantExtender::Extended;
  using SlotBytes = std::vector<std::vector<ByteRange>>; ///< of an image's slot, for each host
  using Kept = CopyOnWrite::SnapshotCopy;
  using KeptByAll = CopyOnWrite::Preservation;
  using Published = FlushPublisher::Published;
  using Sealed = ImageCloser::Sealed;

  /// `slots`: see Evictor.
  ImageManager(Ring memory, const Policy& policy, SlotSignals* slots = nullptr);
  ImageManager(const ImageManager&) = delete;
  ImageManager& operator=(const ImageManager&) = delete;

  /// \name Allocation (ImageAllocator, GrantExtender)
  ///@{
  std::optional<Granted> Begin(const BeginRequest& request);
  std::optional<Extended> Extend(ImageId image, std::uint64_t bytes);
  std::optional<Extended> ExtendFurther(ImageId image);
  std::optional<Extended> ExtendAhead(ImageId image, std::uint64_t reached);
  bool ConfirmGrant(ImageId image, std::uint64_t grant);
  void WithdrawGrant(ImageId image);
  ///@}

  /// \name Flushes (FlushPublisher, CopyOnWrite)
  ///@{
  std::optional<Published> Publish(ImageId image, std::uint64_t size, const SlotBytes& changing,
    const WriteStatistics& statistics, bool joins = false);
  void DiscardCopies(ImageId image);
  Sealed Confirm(ImageId image, std::uint64_t copy, double now, std::uint64_t group = 0);
  bool IsAwaited(std::uint64_t copy) const;
  KeptByAll Keep(ImageId image, HostIndex host, ByteRange bytes);
  void ConfirmKept(const SnapshotDescription& snapshot);
  Work Revoke(SnapshotId snapshot);
  ///@}

  /// \name Ends of images (ImageCloser)
  ///@{
  Sealed Seal(const SealRequest& request);
  Work Disown(ImageId image, std::uint64_t size);
  std::vector<Work> Finish(ImageId image, std::uint64_t reach);
  Work Undo(ImageId image);
  std::vector<Work> Drop(ImageId image, const std::string& why, bool changed = false);
  ///@}

  /// \name Memory ahead of writers (Preallocator)
  ///@{
  std::optional<Work> PrepareNext(const std::string& fileName);
  std::vector<CleaningPlan::Range> Warm(const std::string& fileName, bool untilHalf = false);
  bool IsNextReady(const std::string& fileName);
  static bool AreSmall(const std::vector<CleaningPlan::Range>& pages);
  void NoteWarm(const std::vector<CleaningPlan::Range>& pages);
  std::vector<Work> Cool(SlotIndex slot);
  ///@}

  /// \name Settings and hosts
  ///@{
  /// Throws Error(Usage) if the map is impossible: then the policy stays as it was.
  void SetPolicy(const Policy& policy);
  const Policy& GetPolicy() const;

  /// Changes what each host lends. What is in use stays, even if it is more.
  std::vector<Work> SetBudget(std::uint64_t budget);

  /// Notes that a host lacks so many bytes of memory: it lends no more than it has, until
  /// LiftLimits.
  void NoteLack(HostIndex host, std::uint64_t bytes) { this->State.Memory.Limit(host, bytes); }
  std::vector<std::uint64_t> LiftLimits() { return this->State.Memory.LiftLimits(); }

  /// Evicts other snapshots than this one, so that hosts which lack memory can have what is counted
  /// as theirs. Returns what they give back for it; nothing if that could not be enough.
  std::optional<CleaningPlan> MakeRoomFor(SnapshotId snapshot);

  /// A host has missed tasks. Releases the pages that nobody keeps there, because it is not known
  /// which exist and what they hold.
  std::vector<Work> HostIsBack(HostIndex host);

  /// Returns what the hosts are to forget of what they have on disk, before any other order.
  /// Returns nothing if there is nothing.
  std::optional<Work> TakeForgotten();
  ///@}

  /// \name Images that are being written (ImageTable)
  ///@{
  const std::map<ImageId, OpenImage>& OpenImages() const;
  const OpenImage& Image(ImageId image) const;
  std::vector<ImageId> ImagesOf(const std::string& owner) const;
  void RequireOwner(ImageId image, const std::string& owner) const;
  void RequireKey(ImageId image, std::uint64_t key) const;

  /// Enters the stream of an image's snapshots, and the program that writes it. Does nothing if
  /// there is no such image.
  void EnterStream(ImageId image, const StreamBook::Place& place, const PeerDescription& writer);

  /// Has somebody say of which stream files are, and which step, that were entered otherwise
  /// before: images and snapshots.
  void Rename(const SnapshotTable::Renaming& rename);

  /// Returns true if files of that stream are opened again, and keep most of what they have.
  bool IsAppended(const std::string& fileName) const;

  /// Notes that an image's name is on disk, as those of that family (SnapshotDescription::Family)
  /// were before. Does nothing if there is no such image.
  void NoteNamed(ImageId image, SnapshotId family);

  /// Enters who may do what with an image's file on disk.
  void NoteAccess(ImageId image, const std::optional<FileAccess>& access);

  /// The file of an image has another name, and is of that stream and step. Does nothing if there
  /// is no such image.
  void Rename(ImageId image, const std::string& name, const std::string& stream,
    const std::optional<double>& step);

  /// Notes that an image's file was flushed, and had that size. Does nothing if there is no such
  /// image.
  void NoteFlushed(ImageId image, std::uint64_t size);
  ///@}

  /// The snapshots that were evicted since the last call.
  std::vector<SnapshotDescription> TakeEvicted();
  bool KeepsUnread() const;

  /// See Evictor.
  bool Drop(SnapshotId snapshot);
  void OpenToReaders();
  bool TakeHindered();

  SnapshotTable& Snapshots();
  const SnapshotTable& Snapshots() const;
  const Ring& Memory() const;
  const ImageCounters& Counters() const;

  /// What fills the ring, and what to do about it (RingReport).
  std::string FullText() const;
  std::string RoomAdvice() const;

private:
  ImageState State;
  Evictor Evictions;
  MapChoice Maps;
  GrantSizes Sizes;
  SnapshotBuilder Builder;
  RingReport Report;
  ImageAllocator Allocator;
  GrantExtender Extender;
  FlushPublisher Publisher;
  CopyOnWrite Copier;
  ImageCloser Closer;
  Preallocator Preallocation;
};

}
