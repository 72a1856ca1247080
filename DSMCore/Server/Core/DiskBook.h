// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/PlaceholderContents.h"
#include "Protocol/SnapshotMessages.h"
#include "Server/Core/DiskQueue.h"
#include "Server/Core/FileFamilies.h"
#include "Server/Core/WrittenFiles.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dsm
{

class SnapshotTable;
struct ServerStatus;

/// What a server knows of files on disk: which snapshots are there as well, which are to be there
/// under their own names and are not yet (DiskQueue), and which files there are its own
/// (WrittenFiles). Knows no file itself, nor a lock or thread. Not thread safe.
class DiskBook
{
public:
  using Time = DiskQueue::Time;

  /// `snapshots` must outlive this.
  explicit DiskBook(SnapshotTable& snapshots);

  /// As DiskQueue::SetRule, of snapshots that are not on disk.
  void SetRule(const std::string& rule);
  const KeepRule& Rule() const { return this->Queue.Rule(); }
  /// Whether some file may be there under its own name: there has been a rule that keeps some.
  bool MayBeThere() const { return this->EverKept; }

  /// A snapshot is on disk, with all its parts, if it has some.
  void NoteSaved(SnapshotId number);
  /// Whether it is, with all of them.
  bool IsSaved(const SnapshotDescription& snapshot) const;

  /// \name What happens in the ring, as DiskQueue hears of it
  ///@{
  void Entered(const SnapshotDescription& snapshot, ImageId image);
  void Told(const SnapshotDescription& whole);
  void Renamed(const SnapshotRenamed& renamed);
  void ForgetReplaced();
  void Recount() { this->Queue.Recount(this->Snapshots); }
  /// What is to be reported of one that has left: it should be on disk, and is not.
  std::optional<std::string> Left(const SnapshotDescription& snapshot);
  ///@}

  /// \name Writing, as DiskQueue has it
  ///@{
  std::optional<SnapshotDescription> Begin(Time now);
  std::optional<Time> NextTry() const { return this->Queue.NextTry(); }
  /// As DiskQueue::TryNow, at the end. What has an older state on disk under its name waits as
  /// well, whatever the rule says: nobody is to take that for the file.
  void TryNow();
  bool IsBusy(Time now) const { return this->Queue.IsBusy(now); }
  bool IsEmpty() const { return this->Queue.IsEmpty(); }
  DiskBacklog Backlog(Time now) const { return this->Queue.Backlog(now, this->Snapshots); }
  /// What Begin gave has ended so. Returns what is to be reported of it, once until a file could be
  /// written again; nothing: it is on disk, or the same was said before.
  std::optional<std::string> End(
    const SnapshotDescription& snapshot, const DiskOutcome& outcome, bool keep, Time now);
  ///@}

  /// \name Files under simulations' names
  ///@{
  /// The server has put that snapshot's file there.
  void EnterWritten(const SnapshotDescription& snapshot, const FileMark& mark);
  /// Enters that the writer of that snapshot has put its whole file there. The file is not
  /// recognised later, since programs write into it without HDF5.
  void EnterWhole(const SnapshotDescription& snapshot);
  /// Returns the newest snapshot of a family whose file was put there; 0: none was.
  SnapshotId WrittenOf(SnapshotId family) const { return this->Files.WrittenOf(family); }
  /// None where a file is none of the server's, or was changed.
  std::optional<WrittenFiles::File> WrittenAs(const FileMark& mark) const;
  FoundOnDisk Find(const FindOnDisk& message) const;
  /// The family of what a placeholder stands for; 0: of none yet.
  SnapshotId FamilyOf(const PlaceholderAddress& placeholder) const;
  /// The newest snapshot of the file that an image was; 0: there was none.
  SnapshotId NewestOfImage(ImageId image) const
  {
    return this->Families.NewestOf(this->Families.FamilyOfImage(image));
  }
  SnapshotId NewestOf(SnapshotId family) const { return this->Families.NewestOf(family); }
  /// That of a snapshot that there was.
  SnapshotId FamilyOf(SnapshotId number) const { return this->Families.FamilyOf(number); }
  ///@}

  /// Enters what of that concerns a server's status.
  void Tell(ServerStatus& status, Time now) const;

  /// Returns the newest states of files that have left the memory and are not on disk, where an
  /// older state of each is. Knows the last 4096.
  std::vector<SnapshotDescription> LostStates() const;

  /// Why files wait; "" where nothing is known to be wrong.
  std::string Trouble() const;

private:
  void WantIfNewerThanOnDisk(const SnapshotDescription& snapshot);
  bool IsNewerThanOnDisk(const SnapshotDescription& snapshot) const;

  SnapshotTable& Snapshots;
  DiskQueue Queue;
  WrittenFiles Files;
  FileFamilies Families;
  std::map<SnapshotId, SnapshotDescription> Lost; ///< LostStates, and others that were
  std::set<SnapshotId> Saved;                     ///< on disk, by whoever wrote them there
  bool EverKept = false;
  bool Fails = false;           ///< the last that was to be written could not be
  std::uint64_t NeverThere = 0; ///< left the ring, though they were to be on disk
};

}
