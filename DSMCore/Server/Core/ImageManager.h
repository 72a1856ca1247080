// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/Ring.h"
#include "Server/Core/ImageCounters.h"
#include "Server/Core/ServerOptions.h"
#include "Server/Core/SharedSlots.h"
#include "Server/Core/SnapshotTable.h"
#include "Server/Core/StreamBook.h"
#include "Server/Core/StreamTable.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dsm
{

/// A writer's request for a new image.
struct BeginRequest
{
  std::string Owner{}; ///< who writes the image, as the caller names it
  std::string FileName{};
  /// The number of the snapshot that the image begins as; none: it begins empty.
  std::optional<std::uint64_t> Source{};
  std::uint64_t Key = 0;   ///< a secret that the image's writers share
  bool HasOthers = false;  ///< the image joins a snapshot that is counted already
  bool Clears = false;     ///< its writers clear what the slot held before
  std::uint64_t Ranks = 1; ///< how many ranks write the image
  bool MayOutgrow = false; ///< without room in memory, the image continues on the hosts' disks
};

/// A writer's request to make an image a snapshot.
struct SealRequest
{
  std::uint64_t Image = 0;
  std::uint64_t Size = 0;  ///< bytes of the file
  std::uint64_t Reach = 0; ///< bytes from the file's beginning that the writers touched
  WriteStatistics Statistics{};
  double SealedAt = 0;        ///< seconds since 1970
  std::uint64_t Group = 0;    ///< the group that the snapshot joins (SnapshotTable::Add); 0: none
  bool MayKeepOnDisk = false; ///< it is kept even if the policy drops new snapshots
};

/// Manages a server's images: which files are being written and where, which have become
/// snapshots, which requests for memory are granted, which snapshots are evicted for that, and
/// what the hosts must do with their memory before it is used.
///
///     Begin -> (Extend)* -> Seal    -> a snapshot -> evicted when its memory is needed
///                        -> Finish, when the last flush shows all there is
///                        -> Drop,   when its writer is lost or discards it
///     Publish -> (the hosts copy) -> Confirm -> a snapshot, while the image goes on
///     Keep -> (the hosts copy) -> ConfirmKept, before bytes change that such snapshots share
///
/// A request for memory has one of three outcomes: it is granted; it is to wait, since a snapshot
/// may be read or released (std::nullopt); or it is refused, since waiting cannot help
/// (Error(RingFull)). Requests about an image that is not there are an Error(PeerLost), and sizes
/// that no file of its address map can have an Error(Refused): the image stays as it was.
///
/// Decisions only: no message, no lock, no thread, no clock, no memory of its own. Not thread safe.
class ImageManager
{
public:
  /// What can change from image to image.
  struct Policy
  {
    Redistribution Map;
    FullRing WhenFull = FullRing::DropOldest;
    std::uint64_t MaximumSnapshots = 64;
    std::uint64_t ExpectedFileSize = 0; ///< of a stream that has had no file yet; 0: unknown
    std::string Checkpoints = "none";   ///< as SnapshotTable::SetCheckpoints has it
  };

  /// What the hosts have to do with a slot, and possibly with others for its sake.
  struct Work
  {
    std::uint64_t Slot = 0;
    CleaningPlan Plan;
  };

  /// An image that is being written.
  struct OpenImage
  {
    std::string Owner;     ///< who writes it, as the caller named it
    std::uint64_t Key = 0; ///< that only those who write it know
    std::string FileName;
    AddressMap Map;
    std::uint64_t Slot = 0;
    std::uint64_t Generation = 0;     ///< of the slot
    std::uint64_t Grant = 0;          ///< file bytes that may be written, once they are reserved
    std::uint64_t Reserved = 0;       ///< file bytes whose memory the hosts have reserved
    bool ReportedUnpublished = false; ///< it was logged that a flush could not be published
    std::uint64_t Source = 0;         ///< the snapshot that it began as; 0: none
    StreamBook::Place Place{};
    std::string Program{};              ///< that writes it
    std::string Machine{};              ///< where that runs
    bool Named = false;                 ///< as SnapshotDescription has it
    std::uint64_t Family = 0;           ///< likewise; 0: its own
    std::vector<std::uint64_t> Stale{}; ///< as ImageDescription has it
    bool Foreseen = false;              ///< likewise
    bool IsInPlace = false;             ///< it has its source's slot, whose bytes that shares
    std::uint64_t Begins = 0;           ///< bytes of its source
    std::uint64_t Written = 0;          ///< bytes that its flushes have shown, however often
    std::uint64_t Shown = 0;            ///< the last snapshot of it, also its source; 0: none
    std::uint64_t Goal = 0;  ///< file bytes up to which it is extended without being asked again
    bool IsAwaited = true;   ///< its writer has asked for that, and may wait for it
    bool MayOutgrow = false; ///< the hosts' memory: what that has no room for goes to their disks
  };

  struct Granted
  {
    std::uint64_t Image = 0;
    Work BeforeWriting;
    std::optional<SnapshotDescription> Source; ///< of a copy: retained, for the caller to release
    std::optional<SnapshotDescription> Moved;  ///< of one in its place: what its source is now
  };

  struct Extended
  {
    std::uint64_t Grant = 0; ///< file bytes that may be written now
    Work BeforeWriting;
  };

  /// Bytes of an image's slot, for each host.
  using SlotBytes = std::vector<std::vector<ByteRange>>;

  /// A snapshot keeps bytes that are about to change.
  struct Kept
  {
    SnapshotDescription Snapshot; ///< as it will be
    Work Copying;
  };

  struct KeptByAll
  {
    bool Complete = true; ///< false: the rest when there is room
    std::vector<Kept> Snapshots;
    Work Telling; ///< for who still reads one that had to go
  };

  /// An image as it is at a flush; or why it is not shown; the image is unaffected.
  struct Published
  {
    std::uint64_t Copy = 0; ///< 0: there is none
    Work Copying;
    std::string Skipped;
    bool FirstSkipped = false; ///< of this image: to be logged
  };

  struct Sealed
  {
    std::uint64_t Number = 0; ///< of the snapshot; 0: not kept (FullRing::DropNewest)
    std::vector<Work> Clearing;
  };

  /// `slots` of `hosts` hosts that lend `budget` bytes each.
  ImageManager(
    std::uint64_t hosts, std::uint64_t budget, std::uint64_t slots, const Policy& policy);
  ImageManager(Ring memory, const Policy& policy);

  /// \name Writers
  ///@{
  /// Allocates memory for a new image. If the request names a source, the image begins as that
  /// snapshot. It is written in the snapshot's place if nobody has the snapshot open and most of
  /// its bytes are likely to stay: the snapshot then shares the bytes that do not change, as
  /// snapshots of flushes do. Otherwise the image gets memory for a copy.
  std::optional<Granted> Begin(const BeginRequest& request);

  /// Memory for at least `bytes` bytes of an image. Of one that may outgrow it and finds no room,
  /// not even when snapshots go, the rest goes to disk from then on: its address map then says so.
  std::optional<Extended> Extend(std::uint64_t image, std::uint64_t bytes);

  /// The next piece of what an image that has outgrown its grant is to have, once it has the last
  /// one; none where it has it all, or there is no room.
  std::optional<Extended> ExtendFurther(std::uint64_t image);

  /// The first piece of what an image is to have before it asks for it, since it has used most of
  /// what it asked for: half as much again, where there is room that nobody has. None where it gets
  /// more already.
  std::optional<Extended> ExtendAhead(std::uint64_t image, std::uint64_t reached);

  /// The hosts have reserved what was granted. False when that was withdrawn meanwhile, or the
  /// image is gone: it must be asked for again.
  bool ConfirmGrant(std::uint64_t image, std::uint64_t grant);
  /// They could not: the image keeps what it had before, and nothing that was granted since.
  void WithdrawGrant(std::uint64_t image);

  /// Makes an image a snapshot. If the image began as a copy of a hidden snapshot, it replaces that
  /// one.
  Sealed Seal(const SealRequest& request);

  /// The image as it is, as a snapshot that shares its bytes but for `changing`, of which it has a
  /// copy. A writer waits for it only where the policy says so, and never when that could not help:
  /// the file itself is in no danger.
  /// `joins`: as BeginRequest::HasOthers.
  std::optional<Published> Publish(std::uint64_t image, std::uint64_t size,
    const SlotBytes& changing, const WriteStatistics& statistics, bool joins = false);

  /// A copy that was not confirmed, since its writer has not waited for it.
  void DiscardCopies(std::uint64_t image);

  /// The copy is complete, since its writer has waited for it: it becomes a snapshot. Throws
  /// Error(Refused) when the copy was discarded.
  Sealed Confirm(std::uint64_t image, std::uint64_t copy, double now, std::uint64_t group = 0);

  /// The image's writer is about to change bytes of its slot on a host: the snapshots that share
  /// them get copies. Where there is no room for that, snapshots go: first as for any other memory,
  /// then, unless the policy lets writers wait, those that would need the copies.
  KeptByAll Keep(std::uint64_t image, std::uint64_t host, ByteRange bytes);

  /// The hosts have made a snapshot's copies.
  void ConfirmKept(const SnapshotDescription& snapshot);
  /// They could not: it goes, whoever reads it. Nobody changes its bytes before all know.
  Work Revoke(std::uint64_t snapshot);

  /// Whether a copy still waits to be confirmed.
  bool IsAwaited(std::uint64_t copy) const { return this->Copies.contains(copy); }

  /// The image ends without a snapshot of its own.
  std::vector<Work> Finish(std::uint64_t image, std::uint64_t reach);

  /// The image is lost. Later requests about it are told why. Nothing when there is no such image.
  /// `changed`: its writer has gone on by itself, so that no snapshot can share its bytes any more.
  std::vector<Work> Drop(std::uint64_t image, const std::string& why, bool changed = false);
  ///@}

  /// Makes a slot ready for the next file of a stream before it is asked for, so that its writer
  /// does not wait for that; none where the last will likely be written further instead.
  std::optional<Work> PrepareNext(const std::string& fileName);

  /// Pages to make exist in the background, ahead of the next files of a stream (of any, where
  /// nothing is known of it): a piece of them. None when there is enough, or half of that
  /// (`untilHalf`), or no room that nobody has.
  std::vector<CleaningPlan::Range> Warm(const std::string& fileName, bool untilHalf = false);

  /// Whether such pages are a small file's: several slots are made ready at once then.
  static bool AreSmall(const std::vector<CleaningPlan::Range>& pages);

  /// They exist.
  void NoteWarm(const std::vector<CleaningPlan::Range>& pages) { this->Slots.NoteWarm(pages); }

  /// The hosts could not do that in a slot.
  std::vector<Work> Cool(std::uint64_t slot);

  /// Throws Error(Usage) when the map cannot be, and Error(Usage) for a limit of no snapshot.
  void SetPolicy(const Policy& policy);
  const Policy& GetPolicy() const { return this->Rules; }

  /// A host has missed tasks: the pages that nobody keeps there are given back, as it is not known
  /// which exist and what they hold.
  std::vector<Work> HostIsBack(std::uint64_t host);

  /// Changes what each host lends; what is in use stays, even if it is more.
  std::vector<Work> SetBudget(std::uint64_t budget);

  const std::map<std::uint64_t, OpenImage>& OpenImages() const { return this->Open; }
  const OpenImage& Image(std::uint64_t image) const;
  /// Throws Error(Refused) when somebody else writes the image.
  void RequireOwner(std::uint64_t image, const std::string& owner) const;

  /// What its snapshots will be of, the program that writes them, and where that runs.
  void EnterStream(std::uint64_t image, const StreamBook::Place& place, const std::string& program,
    const std::string& machine = {});
  /// Its name is on disk, as those of that family (SnapshotDescription::Family) were before.
  /// Nothing when there is no such image.
  void NoteNamed(std::uint64_t image, std::uint64_t family);
  void RequireKey(std::uint64_t image, std::uint64_t key) const;
  std::vector<std::uint64_t> ImagesOf(const std::string& owner) const;

  /// What the hosts are to forget of what they have on disk: before anything else is ordered. None
  /// where there is nothing.
  std::optional<Work> TakeForgotten();

  /// The snapshots that have left the ring since it was last called.
  std::vector<SnapshotDescription> TakeEvicted() { return std::exchange(this->Evicted, {}); }

  SnapshotTable& Snapshots() { return this->Table; }
  const SnapshotTable& Snapshots() const { return this->Table; }
  const Ring& Memory() const { return this->Slots; }
  const ImageCounters& Counters() const { return this->Count; }

  /// Whether snapshots stay until they were read.
  bool KeepsUnread() const { return this->Rules.WhenFull != FullRing::DropOldest; }

  /// What fills the ring, for people, and what to do about it.
  std::string FullText() const;
  std::string RoomAdvice() const;

private:
  struct FlushCopy
  {
    std::uint64_t Image = 0;
    SnapshotDescription Snapshot;
  };

  /// Of a snapshot for which hosts are copying.
  struct Coming
  {
    SnapshotDescription Snapshot; ///< as it will be in the end
    std::uint64_t Underway = 0;
  };

  bool MayBeWrittenFurther(const BeginRequest& request, const SnapshotDescription& snapshot) const;
  bool WouldBeSpreadSo(const SnapshotDescription& snapshot, bool mayOutgrow) const;
  std::optional<Granted> BeginInPlace(
    const BeginRequest& request, const SnapshotDescription& source);
  std::uint64_t HostCapacity(bool mayOutgrow) const;
  bool GoesToDisk(OpenImage& image, std::uint64_t bytes);
  std::uint64_t PieceFor(const OpenImage& image) const;
  SnapshotDescription MakeShared(
    SnapshotDescription snapshot, std::uint64_t generation, CleaningPlan& plan);
  const AddressMap& MapFor(std::uint64_t likelySize, bool mayOutgrow = false);
  std::uint64_t Expected(const std::string& fileName) const;
  std::uint64_t FirstGrant(const AddressMap& map) const;
  std::uint64_t GrantedUnforeseen() const;
  std::uint64_t FirstWarm() const;
  std::uint64_t LargeFirstWarm() const;
  std::uint64_t GrantFor(const AddressMap& map, std::uint64_t expected) const;
  std::string LargestImagesText() const;
  std::vector<std::uint64_t> Victims() const;
  Ring Without(const std::vector<std::uint64_t>& snapshots) const;
  template <typename Predicate>
  bool MakeRoom(const Predicate& enough);
  const SnapshotDescription& Latest(const SnapshotDescription& snapshot) const;
  std::vector<std::uint64_t> WhoLacks(
    const OpenImage& image, std::uint64_t host, ByteRange bytes) const;
  std::optional<Kept> Copied(
    const SnapshotDescription& snapshot, std::uint64_t host, ByteRange bytes);
  void Evict(std::uint64_t number);
  void EvictSurplus();
  bool IsToBeSkipped(const OpenImage& image, std::uint64_t size) const;
  SnapshotDescription Describe(
    const OpenImage& image, std::uint64_t size, const WriteStatistics& statistics) const;
  void Date(SnapshotDescription& snapshot, double now);
  std::uint64_t Enter(SnapshotDescription snapshot, std::uint64_t group);
  OpenImage Take(std::uint64_t image);
  void RequirePossible(std::uint64_t image, std::uint64_t size) const;

  Policy Rules;
  Ring Slots;
  SharedSlots Sharing;
  SnapshotTable Table;
  std::vector<SnapshotDescription> Evicted;
  StreamTable Streams;
  AddressMap Current; ///< the last map made by the policy
  std::map<std::uint64_t, OpenImage> Open;
  std::map<std::uint64_t, FlushCopy> Copies;
  std::map<std::uint64_t, Coming> Keeping;   ///< by the snapshots' numbers
  std::map<std::uint64_t, std::string> Lost; ///< why images were dropped, the last ones
  std::uint64_t LastImage = 0;
  bool WritersClear = false; ///< those of the last image: the next will likely be of the same
  std::uint64_t LastCopy = 0;
  ImageCounters Count;
};

}
