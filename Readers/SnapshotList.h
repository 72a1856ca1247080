// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{
class SnapshotHold;
}

namespace dsm::readers
{

/// A snapshot as a pipeline knows it.
struct ListedSnapshot
{
  std::uint64_t Number = 0;
  std::string Name;     ///< what HDF5 opens: "run.dsm#12"
  std::string FileName; ///< what the simulation called it
  double Time = 0;      ///< stated in the file, else its step
};

/// What the simulation called the file that HDF5 opens by a name: asks the server of a name like
/// "run.dsm#12"; of others, and where there is no answer, it is the name itself.
std::string SimulatedName(const std::string& name);

/// True when a file is the contact file of a server, living or not.
bool IsContactFile(const std::string& path);

/// The snapshots a server has in its ring, as all ranks last learned of them together.
class SnapshotList
{
public:
  /// What to list: the files that fit a pattern, or one snapshot by its number.
  struct Selection
  {
    std::string ContactFile;
    std::string Pattern;      ///< empty: all
    std::uint64_t Number = 0; ///< 0: all

    bool operator==(const Selection&) const = default;
  };

  /// Collective: rank 0 asks the server, all ranks get the list, oldest first. The newest stays in
  /// the ring until Release, so that it is still there when the ranks come to open it.
  /// Throws dsm::Error on all ranks together.
  void Update(const Selection& selection);

  /// Collective: as Update where the server has others now than this list, and says whether. A ring
  /// that is empty for a moment, since a file is being written over the last one, has nothing new.
  bool Renew(const Selection& selection);

  void Release() { this->Held.reset(); }

  /// What is read where a snapshot of the list is wanted: it stays while this exists.
  struct Reading
  {
    ListedSnapshot Snapshot; ///< with its step as its time, where it is not of the list
    std::shared_ptr<const SnapshotHold> Hold;
  };

  /// On any rank, at any time. The server chooses once for all ranks: the one wanted or, where that
  /// has left the ring since, the newest of the selection (but if that is one by its number).
  Reading Read(const ListedSnapshot& wanted, const Selection& selection) const;

  const std::vector<ListedSnapshot>& All() const { return this->Snapshots; }

  /// The newest snapshot shown at a time; null when there is none.
  const ListedSnapshot* At(double time) const;
  const ListedSnapshot* Named(const std::string& name) const;

  /// Their times, ascending, each once.
  std::vector<double> Times() const;

private:
  std::optional<std::vector<ListedSnapshot>> Fetch(const Selection& selection, bool onlyNew);
  bool Learn(const Selection& selection, bool onlyNew);

  std::vector<ListedSnapshot> Snapshots;
  // A name that the ranks of this viewer share, and the list's number, for reading together.
  std::string Name;
  std::uint64_t Generation = 0;
  // On rank 0: times of snapshots seen before, so that each file is opened for its time only once.
  std::map<std::uint64_t, double> KnownTimes;
  std::string Session;
  std::shared_ptr<SnapshotHold> Held;
};

}
