// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/Messages.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

class Connection;

/// Keeps a snapshot in the ring while it exists, without opening it: for those who choose among
/// what is there and read by name afterwards. A chosen snapshot that nobody keeps may be gone when
/// it is read, so that each way to make a hold is one act of the server: it chooses and keeps.
class SnapshotHold
{
public:
  /// Ranks of one viewer that each read for themselves what all should read alike.
  struct Viewer
  {
    std::string Name; ///< that those ranks share and nobody else has
    std::uint64_t Ranks = 1;
  };

  /// What the ring has of some files, oldest first, with the newest of it kept.
  struct List;

  /// The snapshots whose files fit `pattern` (empty: all), or only the one of that number (0: all).
  /// Letting go of the newest does not count as having read it.
  static List Newest(
    std::shared_ptr<Connection> connection, const std::string& pattern, std::uint64_t number);

  /// One snapshot for all ranks of a viewer that want this number: the first to ask decides, and
  /// what it got stays until each rank has let go of it as often as the others, or for ten seconds
  /// (a pipeline may ask only some ranks). When the number has left the ring, and `instead` is
  /// given, it is the newest whose file fits that pattern. Letting go counts as having read it.
  /// Throws Error(Refused) where there is none, on all ranks alike.
  static SnapshotHold Together(std::shared_ptr<Connection> connection, std::uint64_t number,
    const std::optional<std::string>& instead, const Viewer& viewer);

  /// What "open" gives for a question. Throws Error(Refused) where the ring has no such snapshot.
  static SnapshotHold Open(std::shared_ptr<Connection> connection, nlohmann::json question);

  SnapshotHold() = default;
  SnapshotHold(SnapshotHold&& other) noexcept = default;
  SnapshotHold& operator=(SnapshotHold&& other) noexcept;
  ~SnapshotHold() { this->Release(); }

  void Release() noexcept;
  const SnapshotDescription& Description() const { return this->Snapshot; }

private:
  std::shared_ptr<Connection> Link; ///< null: holds nothing
  SnapshotDescription Snapshot;
  std::uint64_t Lease = 0;
};

struct SnapshotHold::List
{
  std::vector<SnapshotDescription> Snapshots;
  SnapshotHold Newest; ///< of nothing when there are none
};

}
