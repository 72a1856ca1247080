// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/FileMark.h"
#include "Base/Right.h"
#include "Encoding/Fields.h"
#include "Protocol/Descriptions.h"
#include "Protocol/ImageMessages.h"
#include "Protocol/PlaceholderContents.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// A reader's requests.
namespace dsm
{

/// Ranks of one viewer that each read for themselves what all should read alike.
struct JointViewer
{
  std::string Name; ///< that those ranks share and nobody else has
  std::uint64_t Ranks = 1;
};

/// A file whose placeholder names no snapshot, because an image has been begun since.
struct UnfinishedFile
{
  ImageId Image = 0;
  SnapshotId Before = 0; ///< the snapshot that the placeholder named before; 0: none

  /// The FileIdentity of the placeholder: a file is the same whatever image was begun as it.
  std::string Identity{};

  /// Returns the file that a placeholder without a snapshot stands for.
  static UnfinishedFile Of(const PlaceholderContents& placeholder);
};

/// A snapshot, kept as it is until the lease is closed.
struct OpenSnapshot
{
  static constexpr const char* Name = "open";
  static constexpr Right Needs = Right::Look;
  using Reply = LeasedSnapshot;

  std::optional<SnapshotId> Number; ///< which; or
  /// The identity of the file that has the placeholder with this number (FileIdentity): a newer
  /// version of that file takes the place of this one. Empty: none does.
  std::string Identity;
  std::string File; ///< the newest of that name
  /// When the file on disk of that name changed last, seconds since 1970: where the newest has left
  /// the ring, one that is older is not taken for it. None: there is no such file.
  std::optional<double> OnDiskSince;
  /// Where the number has left the ring, or neither it nor a name is given: the newest whose file
  /// fits this pattern. None: an error.
  std::optional<std::string> Instead;
  std::optional<JointViewer> Together; ///< whose ranks all get what the first of them gets
  bool Peek = false;                   ///< closing it does not count as having read it
  /// Of the name, not the newest but the one that belongs to this snapshot, which leads to the
  /// file. Number is then any snapshot of the file, or 0. 0: none does.
  SnapshotId Master = 0;
  /// The newest state of this file is wanted. A removed file may have had the name before it.
  std::optional<UnfinishedFile> Unfinished;
  /// The lease only spares the snapshot: it is evicted, but after all others that may be.
  bool Spare = false;
};

/// \name By a rank that has no channel, in the name of the peer that speaks for its program
/// The lease is that peer's, and ends with it. Asked in memory only (QuestionBoard).
///@{
struct OpenForRank
{
  static constexpr const char* Name = "open-for-rank";
  static constexpr Right Needs = Right::Own;
  static constexpr bool MayComeInMemory = true; ///< from ranks without a channel
  using Reply = LeasedSnapshot;

  std::string Speaker;     ///< the peer's identity
  std::uint64_t Lease = 0; ///< a number that no other of this peer's has: it may ask twice
  OpenSnapshot Wanted;
};

struct CloseForRank
{
  static constexpr const char* Name = "close-for-rank";
  static constexpr Right Needs = Right::Own;
  static constexpr bool MayComeInMemory = true; ///< from ranks without a channel
  using Reply = Nothing;

  std::string Speaker;
  std::uint64_t Lease = 0;
};
///@}

/// Where a snapshot's bytes are by now: whoever has it open finds that they have moved.
struct LocateSnapshot
{
  static constexpr const char* Name = "locate";
  static constexpr Right Needs = Right::Look;
  static constexpr bool MayComeInMemory = true; ///< from ranks without a channel
  using Reply = SnapshotDescription;

  SnapshotId Number = 0;
};

struct AwaitedSnapshot
{
  SnapshotId Number = 0;     ///< 0: none has come
  bool NoneWillCome = false; ///< then: whoever writes has ended
};

/// Waits for a snapshot of a file that is newer than those which the peer has had. If no file is
/// named, waits for any newer snapshot, even if no program is connected that could write one.
struct AwaitSnapshot
{
  static constexpr const char* Name = "await";
  static constexpr Right Needs = Right::Look;
  using Reply = AwaitedSnapshot;

  std::string File;     ///< if empty, the reply has the newest snapshot of all files
  SnapshotId After = 0; ///< the number of the last one that the peer has had; 0: it had none
  double Seconds = 0;   ///< how long to wait
};

/// A snapshot that its reader holds without having asked for it.
struct SnapshotHold
{
  SnapshotId Number = 0;
  std::uint64_t Lease = 0;
  bool Peek = false;
  std::optional<SlotIndex> Entered{}; ///< the slot that the reader has entered (ReaderGate)
};

/// Notification: the peer reads snapshots whose places it knew. As `open`, but that the peer knows
/// by a slot's generation, and not by an answer, whether it has it. One message for all that it has
/// opened and closed in some milliseconds.
struct HoldSnapshots
{
  static constexpr const char* Name = "hold";
  static constexpr Right Needs = Right::Look;

  /// Leases from here on have their numbers from the peer, or from its ranks (OpenForRank).
  static constexpr std::uint64_t FirstLease = std::uint64_t(1) << 63;

  std::vector<SnapshotHold> Begun;
  std::vector<std::uint64_t> Ended; ///< leases of earlier messages
  std::vector<SnapshotId> Read;     ///< numbers of snapshots that were opened and closed meanwhile
};

/// Notification.
struct CloseSnapshot
{
  static constexpr const char* Name = "close";
  static constexpr Right Needs = Right::Look;

  std::uint64_t Lease = 0;
};

/// The place by which the server keeps a snapshot for a viewer.
struct MappedPlace
{
  std::uint64_t Place = 0; ///< in SegmentLayout::Mapped, of a MappedEntry
  std::uint64_t Number = 0;
};

/// The reply to MapSnapshot.
struct MappingReply
{
  std::optional<MappedPlace> Kept;
  std::string Why; ///< if it is not kept: "its file is being written"
};

/// A process of host 0's node wants to map a snapshot that it has open. The server keeps the
/// snapshot until the process has let go of the place that it is given, or has ended. The process
/// has ten seconds to take the place. Silence ends nothing afterwards: a process that was stopped
/// still maps the memory when it goes on.
struct MapSnapshot
{
  static constexpr const char* Name = "map";
  static constexpr Right Needs = Right::Own;
  using Reply = MappingReply;

  SnapshotId Snapshot = 0;
  std::uint64_t Process = 0; ///< its number on the node
};

/// Event: a writer waits for the memory of snapshots that the peer's process maps. It is to copy
/// what it still needs, and let go of them.
struct GiveBackSnapshots
{
  static constexpr const char* Name = "give-back";

  std::vector<MappedPlace> Kept;
};

/// A snapshot is on disk as well, by whoever has written it there: it is not lost with the memory.
struct NoteSaved
{
  static constexpr const char* Name = "saved";
  static constexpr Right Needs = Right::Own;
  using Reply = Nothing;

  SnapshotId Number = 0;
};

struct FoundOnDisk
{
  /// The number of the snapshot that it is; 0: the server has not put it there, or somebody has
  /// changed it since.
  SnapshotId Snapshot = 0;
  SnapshotId Newest = 0; ///< of that file, the number of the newest snapshot in the ring; 0: the
                         ///< file on disk is what there is
  SnapshotId Gone = 0;   ///< of that file, a newer one that has left the ring; 0: none has
  bool Stays = false;    ///< a new file of that name will take its place when it is on disk itself
};

/// A file is on disk: is it one that the server has put there (ServerOptions::AlsoOnDisk)?
struct FindOnDisk
{
  static constexpr const char* Name = "on-disk";
  static constexpr Right Needs = Right::Look;
  static constexpr bool MayComeInMemory = true; ///< from ranks without a channel
  using Reply = FoundOnDisk;

  std::string File; ///< its name (AbsoluteName)
  FileMark There;
};

struct SnapshotList
{
  std::vector<SnapshotDescription> Snapshots; ///< oldest first
  std::optional<std::uint64_t> Lease;         ///< on the newest of them, where it was asked for
};

/// What is in the ring.
struct ListSnapshots
{
  static constexpr const char* Name = "snapshots";
  static constexpr Right Needs = Right::Look;
  using Reply = SnapshotList;

  SnapshotId Number = 0;  ///< only that; 0: all
  std::string Match;      ///< only those that fit (FitsStream); empty: all
  bool Hold = false;      ///< keep the newest of them, by a lease whose end does not count as read
  bool HiddenToo = false; ///< also those that viewers are not told of yet
};

struct DeletedFile
{
  std::uint64_t Snapshots = 0; ///< how many there were
};

/// The simulation has deleted the file: its snapshots are no longer found by its name.
struct DeleteFile
{
  static constexpr const char* Name = "delete";
  static constexpr Right Needs = Right::Write;
  using Reply = DeletedFile;

  std::string File;
};

/// The file that a placeholder stands for has another name.
struct RenameFile
{
  static constexpr const char* Name = "rename";
  static constexpr Right Needs = Right::Write;
  static constexpr bool MayComeInMemory = true; ///< from ranks without a channel
  using Reply = Nothing;

  std::string File;            ///< the name that it has now (AbsoluteName)
  SnapshotId Number = 0;       ///< of the snapshot that the placeholder names; 0: of none yet
  UnfinishedFile Unfinished{}; ///< what it says while it names none
  std::string Identity{};      ///< its FileIdentity: its open images get the name as well
};

void Describe(Fields&, JointViewer&);
void Describe(Fields&, AwaitedSnapshot&);
void Describe(Fields&, AwaitSnapshot&);
void Describe(Fields&, UnfinishedFile&);
void Describe(Fields&, OpenSnapshot&);
void Describe(Fields&, OpenForRank&);
void Describe(Fields&, CloseForRank&);
void Describe(Fields&, LocateSnapshot&);
void Describe(Fields&, SnapshotHold&);
void Describe(Fields&, HoldSnapshots&);
void Describe(Fields&, CloseSnapshot&);
void Describe(Fields&, MappedPlace&);
void Describe(Fields&, MappingReply&);
void Describe(Fields&, MapSnapshot&);
void Describe(Fields&, GiveBackSnapshots&);
void Describe(Fields&, NoteSaved&);
void Describe(Fields&, FoundOnDisk&);
void Describe(Fields&, FindOnDisk&);
void Describe(Fields&, SnapshotList&);
void Describe(Fields&, ListSnapshots&);
void Describe(Fields&, DeletedFile&);
void Describe(Fields&, DeleteFile&);
void Describe(Fields&, RenameFile&);

}
