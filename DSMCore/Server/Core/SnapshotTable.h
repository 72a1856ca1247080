// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/BoundedMap.h"
#include "Protocol/Descriptions.h"
#include "Server/Core/SnapshotCounts.h"

#include <cstddef>
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

/// The snapshots in the ring, oldest first, with reference counts. Not thread safe.
class SnapshotTable
{
public:
  /// Enters a sealed image and gives it the next number. `expected`: it will be gathered with
  /// others of which the same was said (Gather); 0: with none.
  const SnapshotDescription& Add(SnapshotDescription snapshot, std::uint64_t expected = 0);

  /// Where a snapshot's bytes are now. Nothing when it has gone.
  void Update(const SnapshotDescription& snapshot);

  /// Changes the stream that a snapshot of a file is of, and its step. None: the snapshot's count
  /// is its step.
  using Renaming = std::function<void(
    const std::string& fileName, std::string& stream, std::optional<double>& step)>;
  void Rename(const Renaming& rename);

  const SnapshotDescription* Find(SnapshotId number) const;
  /// Throws Error(Refused) that there is no such snapshot ("7", "\"/sim/x.h5\""), and what there
  /// is.
  [[noreturn]] void ThrowNone(const std::string& which) const;
  const SnapshotDescription* NewestNamed(const std::string& fileName) const;
  /// See SnapshotDescription::Family.
  const SnapshotDescription* NewestOfFamily(SnapshotId family) const;

  /// The newest snapshot of a name, if it has left the ring: of the last 65536 names whose
  /// snapshots did. None where the ring has the newest, or the simulation deleted the file since.
  struct GoneSnapshot
  {
    SnapshotId Number = 0;
    double SealedAt = 0;  ///< as SnapshotDescription has it
    SnapshotId First = 0; ///< the oldest of the name that has left the ring
  };
  std::optional<GoneSnapshot> GoneNamed(const std::string& fileName) const;

  /// Returns the snapshot of a file that belongs to another snapshot, the master, whose virtual
  /// datasets or external links lead to the file. `known` is any snapshot of the file, or 0: after
  /// a rename the file has snapshots of other names.
  ///
  ///     writes its parts first:   p1 p2 MASTER  p1 p2 MASTER      the newest before the master
  ///     writes its master first:  MASTER p1 p2  MASTER p1 p2      the newest before the next
  ///
  /// Throws Error(Gone) if that snapshot has left the ring, Error(Refused) if the file has none.
  const SnapshotDescription& Version(
    const std::string& fileName, SnapshotId known, SnapshotId master) const;

  /// \name Snapshots that viewers are not told of yet (Announcements)
  /// They are found by number and by name, and not among those that follow each other.
  ///@{
  void Hide(SnapshotId number);
  /// `lacksParts`: some parts of its group did not come in time.
  void Show(SnapshotId number, bool lacksParts = false);
  /// One that is hidden has been replaced by another: nobody will be told of it, and it goes before
  /// all others. Not at once: its name may stand for it a moment longer.
  void ReplaceHidden(SnapshotId number);
  /// Whether that was said of one that is still there.
  bool WasReplaced(SnapshotId number) const;
  ///@}

  /// Makes snapshots one (SnapshotGroups): the last of them stands for all. They are told of, kept
  /// and evicted together; the others are found by number and by name only. Parts of another group
  /// bring that along. `parts`: in the order of the parts; `name`: of the whole.
  void Gather(const std::vector<SnapshotId>& parts, const std::string& name);

  /// A snapshot as viewers see it: one in several parts as SnapshotDescription::Parts has it.
  /// It must be there.
  SnapshotDescription Described(SnapshotId number) const;

  /// A snapshot, with all that are one with it.
  std::vector<SnapshotId> GroupOf(SnapshotId number) const;

  /// As FitsStream. One that is hidden only where there is no other.
  const SnapshotDescription* NewestMatching(const std::string& pattern) const;

  /// The newest of all, also when viewers are not told of it; null when there is none.
  const SnapshotDescription* Newest() const
  {
    return this->Entries.empty() ? nullptr : &this->Entries.back().Snapshot;
  }

  /// The oldest of a file name with a number above `after`; null when there is none. None that is
  /// hidden, or a part of what is.
  const SnapshotDescription* NextNamed(const std::string& fileName, SnapshotId after) const;

  /// The oldest (`next`) or newest snapshot with a number above `after`; null when there is none.
  /// None that is hidden.
  const SnapshotDescription* After(SnapshotId after, bool next) const;

  /// Those that share the bytes of an image's slot, oldest first. The reference is good until the
  /// table changes.
  const std::set<SnapshotId>& SharersOf(SlotIndex slot) const;

  /// Whether somebody has a snapshot open, or another that is one with it, or it stays as a
  /// checkpoint. Who has only taken it opens it to read it.
  bool IsKept(SnapshotId number) const;

  /// A retained snapshot is not evicted. Releasing it counts as having read it, if `read` says so
  /// and nobody has taken it at that time.
  void Retain(SnapshotId number);
  void Release(SnapshotId number, bool read);

  /// Retains a snapshot for who goes from one to the next. What is read of it meanwhile is that
  /// one's affair, so the snapshot counts as read when it is given back, and not when who took it
  /// was lost: it wants to see it again, whatever it has read. But what another one has read or
  /// given back stays read.
  void Take(SnapshotId number);
  void GiveBack(SnapshotId number);
  void TakerLost(SnapshotId number);

  /// \name Snapshots that are evicted after all others
  /// A viewer still shows them, and would have to read them again. If two other snapshots are not
  /// there for each writer to replace, none is spared: a writer's new snapshots come first then.
  ///@{
  void Spare(SnapshotId number);
  void EndSpare(SnapshotId number);
  /// Whether a snapshot, or another that is one with it, is spared.
  bool IsSpared(SnapshotId number) const;
  ///@}

  /// Which files are checkpoints: shell patterns of names with ':' between them; "none". Of each of
  /// their streams the newest snapshot is not evicted, with all its parts, until there is a newer
  /// one that is whole or the simulation deletes the file.
  void SetCheckpoints(const std::string& patterns) { this->Checkpoints = patterns; }

  /// Those that stay as checkpoints now.
  std::set<SnapshotId> KeptCheckpoints() const;

  /// The snapshots that may go, oldest first but for those that were replaced, which are the first,
  /// and those that are spared, which are the last: those without
  /// references and no checkpoints, or of them only those read; and none that `isInUse`, which is
  /// asked last.
  std::vector<SnapshotId> Evictable(
    bool unreadToo,
    const std::function<bool(const SnapshotDescription&)>& isInUse = [](const SnapshotDescription&)
    { return false; }) const;
  bool WasRead(SnapshotId number) const;

  /// Of one that is one with others, nobody is told any more; those go before all others.
  SnapshotDescription Remove(SnapshotId number);

  /// The simulation deleted the file: its snapshots are no longer found by name. Those who know
  /// their numbers may still read them until the ring needs the room. Returns how many there were.
  std::uint64_t ForgetName(const std::string& fileName);

  /// The file of a snapshot has another name. The file's older snapshots go with it, and what had
  /// that name is no longer found by it. `stream` and `step` are those of the new name; without a
  /// step the snapshots have theirs. Returns the snapshots whose names have changed, as they were.
  /// Does nothing if there is no such snapshot.
  std::vector<SnapshotDescription> Rename(SnapshotId number, const std::string& name,
    const std::string& stream, const std::optional<double>& step);

  std::vector<SnapshotDescription> All() const;
  /// All but those that are hidden, as viewers see them.
  std::vector<SnapshotDescription> Shown() const;
  /// Counts for a viewer that goes from one snapshot to another; `from` is 0 for its first.
  /// Missed are those of the last 65536 that viewers were told of and that have left the ring.
  SnapshotCounts CountsFor(SnapshotId from, SnapshotId to) const;
  std::uint64_t Size() const { return this->Entries.size(); }
  /// How many there are, as one counts who has set how many to keep: what is in several parts, or
  /// will be, is one. `without`: if these had gone.
  std::uint64_t Count(const std::vector<SnapshotId>& without = {}) const;

  /// Whether there is one less without it.
  bool Counts(SnapshotId number) const;
  SnapshotId LastNumber() const { return this->Last; }

private:
  struct Entry
  {
    SnapshotDescription Snapshot;
    std::uint64_t References = 0;
    std::uint64_t Takers = 0; ///< of the references
    std::uint64_t Spares = 0; ///< how many viewers want it to be evicted last
    bool Read = false;
    bool Hidden = false;
    bool Replaced = false;
    bool Renamed = false;
    bool LacksParts = false;
    SnapshotId Lead = 0;        ///< which one stands for it; 0: it is by itself
    std::uint64_t Expected = 0; ///< the group that it will be a part of; 0: none
  };

  /// Several that are one.
  struct Group
  {
    std::vector<SnapshotId> Numbers; ///< ascending
    std::string Name;
  };

  bool StandsForItself(const Entry& entry) const
  {
    return entry.Lead == 0 || entry.Lead == entry.Snapshot.Number;
  }
  std::string NameOf(const std::vector<SnapshotId>& parts, const std::string& name) const;
  static bool IsExpected(const Entry& entry) { return entry.Expected != 0 && !entry.Replaced; }
  bool IsCheckpoint(const Entry& entry) const;
  std::set<SnapshotId> Spared() const;
  SnapshotDescription Described(const Entry& entry) const;

  const Entry* Lookup(SnapshotId number) const;
  Entry* Lookup(SnapshotId number);
  std::deque<Entry>::const_iterator FirstFrom(SnapshotId number) const;

  void NoteSharing(const SnapshotDescription& snapshot, bool shares);
  void NoteGone(const SnapshotDescription& snapshot);
  void NoteGoneShown(const Entry& entry);
  SnapshotId FirstNamed(const std::string& fileName) const;

  std::deque<Entry> Entries;                         ///< by their numbers
  std::map<std::string, std::set<SnapshotId>> Named; ///< those that are found by name
  std::map<SlotIndex, std::set<SnapshotId>> Sharers; ///< by the slots that they share
  // Names of files take 200 bytes, say, and numbers 40.
  static constexpr std::size_t MostGone = 65536;
  BoundedMap<std::string, GoneSnapshot> Gone{ MostGone }; ///< by their names
  std::set<SnapshotId> GoneShown;                         ///< those that viewers were told of
  std::map<SnapshotId, Group> Groups;                     ///< by which one stands for them
  std::string Checkpoints = "none";
  SnapshotId Last = 0;
};

}
