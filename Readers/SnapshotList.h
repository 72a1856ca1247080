// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Hdf5File.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

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
  };

  /// Collective: rank 0 asks the server, all ranks get the list, oldest first. Rank 0 keeps the
  /// newest open, so that it is still there when the ranks come to open it, until Release.
  /// Throws dsm::Error on all ranks together.
  void Update(const Selection& selection);
  void Release();

  /// Collective: whether the server now has others than Update last found. Throws as Update.
  bool Outdated(const Selection& selection) const;

  const std::vector<ListedSnapshot>& All() const { return this->Snapshots; }

  /// A name that the ranks of this viewer share since Update, for reading together.
  const std::string& Viewer() const { return this->Name; }

  /// The newest snapshot shown at a time; null when there is none.
  const ListedSnapshot* At(double time) const;
  const ListedSnapshot* Named(const std::string& name) const;

  /// Their times, ascending, each once.
  std::vector<double> Times() const;

private:
  std::vector<ListedSnapshot> Fetch(const Selection& selection);

  std::vector<ListedSnapshot> Snapshots;
  // On rank 0: times of snapshots seen before, so that each file is opened for its time only once.
  std::map<std::uint64_t, double> KnownTimes;
  std::string Session;
  std::string Name;
  vtkHDF::ScopedH5FHandle Held;
};

}
