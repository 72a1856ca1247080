// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSnapshotCsv_h
#define pqDSMSnapshotCsv_h

#include <QString>

class QAbstractItemModel;

/// The list of snapshots as a table for other programs: comma-separated values.
namespace pqDSMSnapshotCsv
{
/// The rows of a pqDSMSnapshotFilter in their order, below a line of titles. Sizes are in bytes,
/// clock times in ISO 8601, and names whole.
QString text(const QAbstractItemModel& rows);

/// Writes that to a file. Returns why it could not, or an empty text.
QString write(const QAbstractItemModel& rows, const QString& path);
}

#endif
