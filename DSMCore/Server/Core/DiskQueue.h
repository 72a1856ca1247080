// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Clock.h"
#include "Protocol/Descriptions.h"
#include "Server/Core/KeepRule.h"
#include "Server/Core/SnapshotEvents.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dsm
{

class SnapshotTable;

/// What became of a file that was to be put on disk.
struct DiskOutcome
{
  enum class Kind
  {
    Written,
    NotWanted, ///< the simulation has overwritten or removed the file since, or somebody else has
               ///< put another one there
    Failed     ///< to be tried again
  };

  Kind What = Kind::Failed;
  std::string Text; ///< why it was not written
};

/// What is to be on disk and is not.
struct DiskBacklog
{
  struct File
  {
    SnapshotDescription Snapshot;
    std::string Failure; ///< why it could not be written, when it was tried last; empty: not yet
  };

  bool Busy = false; ///< some are being written, or are to be tried now
  std::vector<File> Files;

  /// Of the files together.
  std::uint64_t Bytes() const;
};

/// Which snapshots are to be on disk as well, under their own names, and are not yet:
///
///     Entered -> Told, and the rule keeps it  -> waits -> Begin -> End: on disk
///             -> or not, or it was replaced: nothing more           or failed, and tried again
///
/// Each is retained from when it is there until it is on disk, so nothing evicts it: where a disk
/// is slower than a simulation, that waits for memory. What has failed is let go, unless it is to
/// be kept by all means: then the next file may have its memory.
///
/// A file that stays open has a state to write with each flush, which is the whole file: of these,
/// the newest is written when several times as long has passed as it took to write the one before.
///
/// Decisions only: no disk, clock, lock or thread. Not thread safe.
class DiskQueue
{
public:
  using Time = Clock::time_point;

  /// From now on: as KeepRule::FromText has it, and throws. Of the snapshots that are there, those
  /// that the new rule keeps and that are not on disk wait as well. With a rule that keeps nothing,
  /// what has failed is given up.
  void SetRule(const std::string& text, const std::function<bool(SnapshotId)>& isOnDisk,
    SnapshotTable& snapshots);

  const KeepRule& Rule() const { return this->Wanted; }

  /// A snapshot is there, and viewers are not told of it yet.
  void Entered(SnapshotId number, SnapshotTable& snapshots);

  /// Viewers are told of it, as they see it: of one in several parts, all are put on disk. A part
  /// that comes late is treated as the parts before it were.
  void Told(const SnapshotDescription& whole, SnapshotTable& snapshots);

  /// Snapshots belong to other streams than before. Those that the rule would have kept, had it
  /// known, wait as well.
  void Recount(SnapshotTable& snapshots);

  /// Its file has another name. One that the rule did not keep by the old name it may keep now.
  void Renamed(const SnapshotRenamed& renamed, SnapshotTable& snapshots);

  /// A snapshot waits whatever the rule says. Does nothing if it does already, or is not there.
  void Want(SnapshotId number, SnapshotTable& snapshots);

  /// Lets go of those that nobody will be told of, since others have taken their places.
  void ForgetReplaced(SnapshotTable& snapshots);

  /// The next that is to be written, which is under way then; none when there is none now.
  std::optional<SnapshotDescription> Begin(Time now, SnapshotTable& snapshots);

  /// When something is to be written that is not to be now: what has failed, or a flush that comes
  /// soon after the last; none when nothing is.
  std::optional<Time> NextTry() const;

  /// What Begin gave has ended so. `keep`: what has failed is retained all the same.
  void End(const DiskOutcome& outcome, bool keep, Time now, SnapshotTable& snapshots);

  /// The end is near: what has failed is tried again at once, and nothing is put off any more.
  void TryNow();
  /// Returns true if TryNow has been called.
  bool IsHurrying() const { return this->Hurries; }

  /// A snapshot has left the ring. Why it is not on disk, of one that could not be written.
  std::optional<std::string> Left(SnapshotId number);

  DiskBacklog Backlog(Time now, const SnapshotTable& snapshots) const;

  /// Those that could not be written, each with the reason.
  const std::map<SnapshotId, std::string>& Failures() const { return this->Failed; }

  /// Whether there is something to write now, or it is being written.
  bool IsBusy(Time now) const;

  /// Whether it has nothing to do with any snapshot there is.
  bool IsEmpty() const;

private:
  bool Decide(const SnapshotDescription& whole);
  std::set<SnapshotId> Missing() const;
  bool IsEarly(SnapshotId number, const SnapshotTable& snapshots) const;

  KeepRule Wanted = KeepRule::FromText("none");
  std::set<SnapshotId> Undecided;
  std::map<SnapshotId, bool> Decided; ///< of those in the ring: whether the rule keeps them
  std::deque<SnapshotId> Waiting;
  SnapshotId Underway = 0;              ///< 0: none is
  Time Begun;                           ///< when that was
  bool Hurries = false;                 ///< TryNow has been called
  std::map<std::string, Time> Earliest; ///< to come, of files that stay open: for their next states
  std::map<SnapshotId, std::string> Failed;
  std::set<SnapshotId> Kept;    ///< of those that have failed: they are retained
  std::deque<SnapshotId> Again; ///< of those: to be tried in this round
  Time Next;                    ///< when the next round begins
};

}
