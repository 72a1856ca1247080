// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Protocol/PlaceholderContents.h"
#include "Protocol/SnapshotMessages.h"
#include "Server/Core/DiskQueue.h"
#include "Server/Core/WrittenFiles.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dsm
{

class CoreRunner;

/// Files that are to be on disk as well, under their own names (ServerOptions::AlsoOnDisk).
///
/// A thread of the host program waits for the next of them, which is held until that thread has
/// said what became of it; see Archive/WriteBehind. Thread safe. Empty answers on other ranks than
/// 0.
class DiskAccess
{
public:
  /// `runner` must outlive this; null on other ranks than 0.
  explicit DiskAccess(CoreRunner* runner)
    : Runner(runner)
  {
  }

  /// Whether a thread writes them.
  void Offer(bool offered) const;

  /// Blocks until there is one to write. None when no thread is to write any more.
  std::optional<SnapshotDescription> WaitForOrder() const;

  /// Enters the file that the thread is about to put under its name, so that it is recognised.
  void EnterWritten(const SnapshotDescription& snapshot, const FilePut& file) const;

  /// What became of an order.
  void Done(const SnapshotDescription& snapshot, const DiskOutcome& outcome) const;

  /// What a file on disk is, if it is one of these.
  std::optional<WrittenFiles::File> WrittenAs(const FileMark& mark) const;

  /// Returns what DiskBook::WrittenOf returns.
  SnapshotId WrittenOf(SnapshotId family) const;

  /// What a placeholder of this server stands for (SnapshotDescription::Family). 0: not known.
  SnapshotId FamilyOf(const PlaceholderAddress& placeholder) const;

  /// Tries at once what has failed.
  void TryNow() const;

  /// Blocks until there is nothing to write at that moment, or until the deadline. Returns what is
  /// not on disk then.
  DiskBacklog Await(const Deadline& deadline) const;

  /// Returns what DiskBook::LostStates returns.
  std::vector<SnapshotDescription> LostStates() const;

private:
  CoreRunner* Runner;
};

}
