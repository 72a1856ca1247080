// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMStreams_h
#define pqDSMStreams_h

#include "pqDSMStatus.h"

#include <QString>
#include <QVector>

/// The snapshots in memory by stream and run, which the server tells apart (StreamBook). Plain
/// data: decides what the list shows together.
namespace pqDSMStreams
{
struct Group
{
  QString Stream;
  qint64 Run = 0;
  QString Program;
  /// Written by a simulation that is connected, or by the last that was; or brought back from disk
  /// since that began.
  bool Current = true;
  QVector<pqDSMStatus::Snapshot> Snapshots; ///< oldest first
  pqDSMStatus::Run Origin{};                ///< its run, and what that began from
  /// Whether it says so: the group of the stream that it began from, or the run's first one.
  bool TellsOrigin = false;

  bool isRestored() const { return this->Origin.Restored; }

  qint64 newest() const { return this->Snapshots.last().Number; }
};

/// Those of current runs come first. Of each kind, streams in the order in which they came, and of
/// a stream the newest run first.
QVector<Group> groups(const pqDSMStatus& status);

/// The groups of a status. Computes them again only if what they are made of changed: their lists
/// of snapshots then stay the same objects (see pqDSMStatus::isSame).
class Cache
{
public:
  const QVector<Group>& of(const pqDSMStatus& status);

private:
  QVector<pqDSMStatus::Snapshot> Snapshots;
  QVector<pqDSMStatus::Run> Runs;
  QVector<qint64> RunsConnected;
  QVector<Group> Groups;
};

/// What a group is called among others: its stream, with the run where there are several of that.
QString title(const QVector<Group>& groups, const Group& group);
}

#endif
