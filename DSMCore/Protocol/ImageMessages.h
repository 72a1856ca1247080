// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/FileMark.h"
#include "Base/Right.h"
#include "Encoding/Fields.h"
#include "Protocol/Descriptions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// A writer's requests for an image, in the order of its life (README.md of Session has a figure).
namespace dsm
{

/// A snapshot that a peer has open, until it closes the lease.
struct LeasedSnapshot
{
  std::uint64_t Lease = 0;
  SnapshotDescription Snapshot;
};

struct ImageGranted
{
  ImageDescription Image;
  std::optional<LeasedSnapshot> Source; ///< what the image is to begin as a copy of
  /// The number of the snapshot that the image begins as; 0: of none. It is newer than the one that
  /// was asked for if another program has closed the file meanwhile.
  SnapshotId CopyOf = 0;
};

/// What stands on disk under the name of an image that begins.
struct NameThere
{
  std::string File{};    ///< its FileIdentity; empty: nothing is there, the name itself counts
  SnapshotId Before = 0; ///< the snapshot whose placeholder it is; 0: it is none, or new
  std::optional<FileMark> Mark{}; ///< if it is a file that the server may have put there

  bool operator==(const NameThere&) const = default;
};

/// Room for a new image.
struct BeginImage
{
  static constexpr const char* Name = "begin";
  static constexpr Right Needs = Right::Write;
  using Reply = ImageGranted;

  std::string File;        ///< the name in the snapshot table
  SnapshotId CopyOf = 0;   ///< the number of the snapshot that it begins as a copy of; 0: of none
  std::uint64_t Ranks = 1; ///< that write it; all but the first may want more room without a word
  bool Clears = false;     ///< they clear what the slot held before: ImageDescription::Stale
  NameThere OnDisk{};
  /// Refuse the image with Fault::Usage if another image of the file has this set, and such images
  /// as long as this one is open.
  bool Locks = false;
  /// The writer has just created the file, and may not change what others have made of it since: if
  /// there is a snapshot of it, refuse the image likewise.
  bool IsNew = false;
};

/// What a writer has left on disk under the name of an image.
struct NameLeft
{
  bool IsThere = false; ///< a placeholder, or the file that the image is a newer state of
  /// The number of the snapshot of this server that stood there before, also as a placeholder; 0:
  /// none did.
  SnapshotId Before = 0;
  /// Who may do what with it, or with new files of the writer; none: that is not known.
  std::optional<FileAccess> Access{};
  bool IsWhole = false; ///< the writer has put the whole file there itself, and no placeholder
};

struct Extension
{
  std::uint64_t Grant = 0; ///< file bytes that may be written without asking again
  DiskShare Disk{};        ///< what of it is on disk
};

/// More room for an image.
struct ExtendImage
{
  static constexpr const char* Name = "extend";
  static constexpr Right Needs = Right::Write;
  using Reply = Extension;

  ImageId Image = 0;
  std::uint64_t Key = 0;   ///< of the image: any of its ranks may ask
  std::uint64_t Bytes = 0; ///< that the file has at least
};

/// The number of a snapshot that was made.
struct Sealed
{
  SnapshotId Number = 0; ///< 0: the server did not keep it
};

/// All ranks have closed the file: it is a snapshot.
struct SealImage
{
  static constexpr const char* Name = "seal";
  static constexpr Right Needs = Right::Write;
  using Reply = Sealed;

  ImageId Image = 0;
  std::uint64_t Size = 0;  ///< of the file, bytes
  std::uint64_t Reach = 0; ///< the end of the highest byte that was written, perhaps above Size
  WriteStatistics Statistics;
  /// Seconds by the server's steady clock (HelloReply::Clock): later, the writer has done something
  /// else with the image, and the server must not make it a snapshot any more.
  double Until = 0;
  NameLeft OnDisk{};
};

struct Published
{
  std::uint64_t Copy = 0; ///< to be confirmed
  std::string Skipped;    ///< not empty when there is no copy: why
};

/// A flush is to be seen: the image as it is becomes a snapshot, which shares its bytes. Before
/// they change, the hosts copy them: those that will likely change now, and others when the writer
/// asks for it (KeepBytes).
struct PublishImage
{
  static constexpr const char* Name = "publish";
  static constexpr Right Needs = Right::Write;
  using Reply = Published;

  ImageId Image = 0;
  std::uint64_t Size = 0;
  std::vector<std::vector<ByteRange>> Changing; ///< of the slot, on each host
  WriteStatistics Statistics;
};

/// A rank is about to change bytes that flushes have shown: the snapshots are to keep them.
struct KeepBytes
{
  static constexpr const char* Name = "keep";
  static constexpr Right Needs = Right::Write;
  static constexpr bool MayComeInMemory = true; ///< from ranks without a channel
  using Reply = Nothing;

  ImageId Image = 0;
  std::uint64_t Key = 0; ///< of the image: any of its ranks may ask
  HostIndex Host = 0;
  ByteRange Bytes; ///< of the slot
};

/// The writer has waited for the copy, so that it is whole: it is a snapshot.
struct ConfirmCopy
{
  static constexpr const char* Name = "confirm";
  static constexpr Right Needs = Right::Write;
  using Reply = Sealed;

  ImageId Image = 0;
  std::uint64_t Copy = 0;
  NameLeft OnDisk{};
};

/// The file is closed without another snapshot: its last flush shows all there is, or the server
/// has not kept the image (Sealed{0}), and its name shows again what it showed before.
struct FinishImage
{
  static constexpr const char* Name = "finish";
  static constexpr Right Needs = Right::Write;
  using Reply = Nothing;

  ImageId Image = 0;
  std::uint64_t Reach = 0;
  NameLeft OnDisk{};
};

/// The file was flushed. If its writer is lost, the image becomes a snapshot all the same, with the
/// bytes that it has then, as a file on disk would have them. A writer that maps host 0's memory
/// notes the size there (SegmentLayout::Flushed), and sends this once, perhaps as a notification.
struct NoteFlush
{
  static constexpr const char* Name = "flushed";
  static constexpr Right Needs = Right::Write;
  using Reply = Nothing;

  ImageId Image = 0;
  std::uint64_t Size = 0; ///< of the file, bytes; 0: it is in memory, or nothing is to be kept
  NameLeft OnDisk{};
};

/// Notification: nobody will write the image to its end.
struct DiscardImage
{
  static constexpr const char* Name = "discard";
  static constexpr Right Needs = Right::Write;

  ImageId Image = 0;
  std::string Why;
  bool KeepsFlush = false; ///< if the file was flushed, that becomes a snapshot (NoteFlush)
};

void Describe(Fields&, FileMark&);
void Describe(Fields&, LeasedSnapshot&);
void Describe(Fields&, ImageGranted&);
void Describe(Fields&, NameThere&);
void Describe(Fields&, BeginImage&);
void Describe(Fields&, NameLeft&);
void Describe(Fields&, Extension&);
void Describe(Fields&, ExtendImage&);
void Describe(Fields&, Sealed&);
void Describe(Fields&, SealImage&);
void Describe(Fields&, Published&);
void Describe(Fields&, PublishImage&);
void Describe(Fields&, KeepBytes&);
void Describe(Fields&, ConfirmCopy&);
void Describe(Fields&, FinishImage&);
void Describe(Fields&, NoteFlush&);
void Describe(Fields&, DiscardImage&);

}
