// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/Descriptions.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

class SnapshotTable;

/// A snapshot that is to be written to disk now.
struct SaveOrder
{
  std::uint64_t Ticket = 0;     ///< its steering transaction
  std::string Path;             ///< empty: the writer's choice
  std::string File;             ///< which files are meant, as MatchesPattern has it
  SnapshotDescription Snapshot; ///< held until the order is done
};

/// Which snapshots are to be written to disk: each is retained from the order until it is written.
/// Archive/DiskWriter writes them, in a thread of its own. Not thread safe.
class SaveOrders
{
public:
  /// The newest snapshot that fits. Empty, or why there is none.
  std::string OrderNewest(SaveOrder order, SnapshotTable& snapshots);

  /// The next snapshot that fits.
  void OrderNext(SaveOrder order) { this->Awaited.push_back(std::move(order)); }

  /// A new snapshot may be one that orders wait for. True when it is.
  bool Entered(const SnapshotDescription& snapshot, SnapshotTable& snapshots);

  bool HasReady() const { return !this->Ready.empty(); }
  std::optional<SaveOrder> TakeReady();

private:
  std::vector<SaveOrder> Awaited; ///< their snapshots are not there yet
  std::deque<SaveOrder> Ready;    ///< their snapshots are held
};

}
