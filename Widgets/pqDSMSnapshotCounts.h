// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSnapshotCounts_h
#define pqDSMSnapshotCounts_h

#include "pqDSMStatus.h"

#include <QHash>

/// What became of the files that simulations wrote since Start, in numbers that add up, and how
/// long those that are in memory stay there.
class pqDSMSnapshotCounts
{
public:
  /// `shown` are the snapshots that are shown now.
  void update(const pqDSMStatus& status, const QVector<qint64>& shown);

  /// "465 files received · 324 viewed · 139 dropped before viewing"
  QString text() const;

  /// Where snapshots are, and how long they stay in memory: "Not saved to disk. Room for 15 more
  /// snapshots (about 10 s); after that the oldest are dropped."
  static QString retention(const pqDSMStatus& status);

private:
  pqDSMStatus Status;
  QHash<qint64, qint64> Shown; ///< snapshots that were, each with the number of its files
};

#endif
