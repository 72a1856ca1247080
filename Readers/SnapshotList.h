// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{
class Connection;
class SnapshotLease;
struct SnapshotDescription;
}

namespace dsm::readers
{

/// A snapshot for a pipeline.
struct ListedSnapshot
{
  SnapshotId Number = 0;
  std::string Name;     ///< for HDF5: "run.dsm#12"
  std::string FileName; ///< of the simulation
  double Time = 0;      ///< in the file, or where the selection says; else its step
  /// Of one in several files: their numbers, in the order of the parts; empty: it is in one.
  std::vector<SnapshotId> Parts;
};

/// The simulation's name of a file that HDF5 opens by `name`. Asks the server if that is a
/// snapshot's name such as "run.dsm#12". Of other names, and if the server does not reply, returns
/// the name itself.
std::string SimulatedName(const std::string& name);

/// Whether a file is a contact file, of a running server or not.
bool IsContactFile(const std::string& path);

/// The snapshots in a server's ring, the same list on all ranks.
class SnapshotList
{
public:
  /// What to list: the files that match a pattern, or one snapshot by its number.
  struct Selection
  {
    std::string ContactFile;
    /// Of names, or a stream: then of its last run only, or of the one behind '@'. Empty: all.
    std::string Pattern;
    SnapshotId Number = 0;     ///< 0: all
    std::string TimeFrom = {}; ///< where the times are in the files; empty: as recognised
    /// Such a pattern, of what is compared with these: only those with a time that is there as
    /// well. Empty: all.
    std::string OnlyTimesOf = {};
    /// Lists one snapshot: the newest of this time that fits the pattern. If the snapshot of that
    /// number has this time and fits as well, it is listed instead. None: all times.
    std::optional<double> Time = {};
    /// Whether the one of that number is opened for its time, which is its step else.
    bool FindsTime = true;

    bool operator==(const Selection&) const = default;
  };

  /// Collective: rank 0 asks the server, and all ranks get the list, oldest first. The newest
  /// snapshot is held in the ring until Release, so that all ranks can open it. Throws dsm::Error
  /// on all ranks.
  void Update(const Selection& selection);

  /// Collective: as Update, if the server has other snapshots than this list; returns whether it
  /// has. A ring that is empty for a moment, while a file replaces the last one, counts as
  /// unchanged.
  bool UpdateIfChanged(const Selection& selection);

  void Release() { this->Held.reset(); }

  /// A snapshot to read, which is held in the ring while this exists.
  struct Reading
  {
    ListedSnapshot Snapshot; ///< with its step as its time, if it is not in the list
    std::shared_ptr<const SnapshotLease> Hold;
  };

  /// Not collective. The server chooses once for all ranks: the snapshot that is wanted or, if that
  /// has left the ring, the newest of the selection (unless it selects one by its number, by its
  /// time or by others' times: no other would do). Returns none where another server has taken the
  /// place of the one that was asked for the list, and has nothing of the selection: there the
  /// numbers are those of other snapshots.
  std::optional<Reading> Read(const ListedSnapshot& wanted, const Selection& selection) const;

  /// Not collective. Lets the server evict a snapshot that is being read only after all others,
  /// while the result exists. Throws dsm::Error.
  static std::shared_ptr<const SnapshotLease> Spare(
    const Reading& reading, const Selection& selection);

  /// Not collective: a part of a snapshot that is being read.
  static Reading ReadPart(SnapshotId number, const Selection& selection);

  /// Sets the time of the one that is listed.
  void SetTime(double time) { this->Snapshots.front().Time = time; }

  const std::vector<ListedSnapshot>& All() const { return this->Snapshots; }

  /// The newest snapshot of a time; null if there is none. Of a stream, what there was at that
  /// time: else the newest of the last time before. Other streams in the view may have more times.
  const ListedSnapshot* At(double time) const;
  const ListedSnapshot* Named(const std::string& name) const;

  /// All times, ascending, each once.
  std::vector<double> Times() const;

private:
  std::optional<std::vector<ListedSnapshot>> Fetch(const Selection& selection, bool ifChanged);
  std::vector<ListedSnapshot> WithTimes(const Connection& server,
    const std::vector<SnapshotDescription>& snapshots,
    std::map<SnapshotId, std::optional<double>>& times) const;
  std::vector<ListedSnapshot> OfTime(const std::shared_ptr<Connection>& server,
    const Selection& selection, std::map<SnapshotId, std::optional<double>>& times) const;
  bool IsSame(const std::vector<SnapshotId>& numbers) const;
  bool FetchForAll(const Selection& selection, bool ifChanged);

  std::vector<ListedSnapshot> Snapshots;
  bool IsStream = false;
  // The name of this list, the same on all ranks and no other list's, and its version: by these the
  // server knows which ranks read the same snapshot together.
  std::string Name;
  std::uint64_t Generation = 0;
  // The server that has these snapshots.
  std::string Session;
  // On rank 0: times in the files, so that each file is opened for its time only once, none where a
  // file has none; and where they were looked for.
  std::map<SnapshotId, std::optional<double>> KnownTimes;
  std::string TimeFrom;
  std::shared_ptr<SnapshotLease> Held;
};

}
