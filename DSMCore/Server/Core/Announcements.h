// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Base/StrongType.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// When viewers are told of a snapshot. Many programs create a file, close it and open it again
/// within one output: one rank writes what describes the file, then all ranks write the data. What
/// the first close leaves is an empty shell, which nobody wants to look at:
///
///     create -> close (1) -> open again -> write -> close (2)
///                     |'- held back, and never told of -'   '- told of
///
/// How often the files of a stream are opened again is learned from those before. A file is held
/// back until that has happened, for two seconds in all; where the files of its stream are not
/// opened again, not at all; and where nothing is known of its stream, until its writer creates the
/// next or a wait is over. A program that opens a file again does so in about the time in which it
/// wrote it, so a file that all its processes have written waits as long as it was open, but
/// between a twentieth and a fifth of a second. What may be a shell waits for a fifth of a second.
///
/// Snapshots are told of in the order of their numbers, since
/// there are viewers that go from one to the next: those behind one that is held back wait for it.
/// They do not wait while a file is being written again, which may take long; if it comes to
/// nothing (its writer was lost), the snapshot before is told of then.
///
/// Decisions only: no clock, lock or thread. Not thread safe.
class Announcements
{
public:
  using Time = Clock::time_point;

  /// An image was begun. `source`: the snapshot whose bytes it begins with, by its number; 0: none.
  void Begun(ImageId image, const std::string& owner, const std::string& fileName,
    SnapshotId source, Time now);

  /// How much of a file its writer has written.
  enum class Written
  {
    MayBeShell,
    Whole ///< most of its bytes, by all processes of its program
  };

  /// It has become a snapshot, and is no image any more.
  void Sealed(ImageId image, SnapshotId snapshot, Written written, Time now);

  /// A flush has shown it as it is: viewers are told at once.
  void Shown(ImageId image, SnapshotId snapshot, Time now);

  /// It has ended without another snapshot.
  void Ended(ImageId image, Time now);

  /// The snapshots that viewers are to be told of now, in that order.
  std::vector<SnapshotId> TakeDue(Time now);

  /// Returns when TakeDue will return more by itself, after a call of it that returned all; nothing
  /// if it will not.
  std::optional<Time> NextDue() const;

  /// All that are held back: no more is coming.
  std::vector<SnapshotId> TakeAll();

private:
  /// A file since it was created, through all that it was opened for again.
  struct History
  {
    std::string Stream;
    std::string Owner; ///< who created it
    std::uint64_t Reopened = 0;
    Seconds Waited{ 0 };  ///< from each close until it was opened again
    bool Settled = false; ///< opened again long after it was closed: no shell
  };

  struct Image
  {
    History File;
    SnapshotId Source = 0;
    Time BegunAt;
  };

  /// A snapshot that may be opened again soon.
  struct Recent
  {
    History File;
    Time SealedAt;
  };

  struct Held
  {
    Time Until;
    std::optional<History> Waiting; ///< for this file itself; else for snapshots before
    std::uint64_t Writers = 0;      ///< images that will take its place
  };

  void Created(const History& file, Time now);
  Seconds Patience(const Image& sealed, Written written, Time now) const;

  std::map<ImageId, Image> Images;
  std::map<SnapshotId, Recent> Snapshots; ///< of the last seconds
  std::map<SnapshotId, Held> HeldBack;
  std::map<std::string, std::uint64_t> Reopenings; ///< of a stream's files; as far as known
};

}
