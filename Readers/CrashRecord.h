// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dsm::readers
{

/// A reading in which a process of ParaView crashed: an earlier one, for whoever reads this lives.
struct Crash
{
  SnapshotId Snapshot = 0;
  std::string As; ///< what it was read as; empty: that was being found out

  bool operator==(const Crash&) const = default;
};

/// What the crashes of ParaView's processes have left beside a contact file (CrashFileOf): a line
/// for each, so that ParaView, started again with memory that has outlived it (hosts of their own),
/// does not crash again of the same snapshot. It holds for one server, whose key is in each line,
/// and goes with the contact file.
namespace crashes
{
/// What a process appends when it crashes; made before, since then it can make nothing. Empty when
/// the file is no snapshot of a server that this process is connected to.
struct Prepared
{
  std::string Path;
  std::string Line;
};
Prepared Prepare(const std::string& snapshotName, const std::string& as);

/// Those of the server that this process reaches by a contact file; read once in a process.
const std::vector<Crash>& Of(const std::string& contact);

/// What people are told of one.
std::string Text(const Crash& crash, const std::string& file, const std::string& contact);

struct Reading
{
  std::string SnapshotName;
  std::string As;
  std::string SimulatedName; ///< for the text
};
/// Throws Error(Refused) where a snapshot would be read as it was when ParaView crashed. Not a
/// snapshot, or never: nothing.
void Refuse(const Reading& reading);
}

}
