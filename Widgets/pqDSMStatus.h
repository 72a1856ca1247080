// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMStatus_h
#define pqDSMStatus_h

#include <QString>
#include <QVector>

/// What the information properties of a DSMServer proxy said at one moment.
struct pqDSMStatus
{
  struct Snapshot
  {
    qint64 Number = 0;
    QString File;
    double Step = 0;
    qint64 FileSize = 0;
    qint64 Bytes = 0;
    double WriteSeconds = 0;
    double BlockedSeconds = 0;
    double SealedAt = 0; ///< seconds since 1970
    bool Pinned = false;

    bool operator==(const Snapshot&) const = default;
  };

  QString State = "idle"; ///< as the server calls it
  QString ContactPath;
  QString LaunchCommand;
  QString Writers;
  QString Receiving;
  QString LastError;
  QString CommandError;
  QString Steering;        ///< JSON: see pqDSMSteeringStatus
  int SteeringSamples = 0; ///< the most of each observable in it
  int Hosts = 0;
  qint64 WritersSeen = 0;
  qint64 Sealed = 0;
  qint64 Dropped = 0;
  double WaitingSeconds = 0; ///< how long a simulation has been waiting for room; 0: none does
  qint64 MemoryUsed = 0;
  qint64 MemoryBudget = 0;
  QVector<qint64> HostBytes; ///< put to each host for the newest snapshot
  QVector<Snapshot> Snapshots;

  bool running() const { return !this->ContactPath.isEmpty(); }
};

#endif
