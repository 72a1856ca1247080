// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMStatus_h
#define pqDSMStatus_h

#include <QString>
#include <QStringList>
#include <QVector>

/// What the server said at one moment. Most of it is the proxy's property ServerStatus, a
/// dsm::ServerStatus as JSON: what the panel is to show of it is a member here and a line in
/// parse().
struct pqDSMStatus
{
  struct Snapshot
  {
    qint64 Number = 0;
    QString File;
    qint64 Files = 1; ///< how many it is in: then File has '*' for what their names differ in
    double Step = 0;
    qint64 FileSize = 0;
    qint64 Bytes = 0;
    double WriteSeconds = 0;
    double BlockedSeconds = 0;
    double SealedAt = 0; ///< seconds since 1970
    bool Pinned = false;
    bool Saved = false; ///< it is on disk as well, by whoever has saved it
    QString Stream;     ///< of those that follow each other: see StreamBook in DSMCore
    qint64 Run = 0;     ///< of a simulation, likewise
    QString Program;

    bool operator==(const Snapshot&) const = default;
  };

  /// A run, and the snapshot of another one that it began from.
  struct Run
  {
    qint64 Number = 0;
    QString Program;
    qint64 FromRun = 0; ///< 0: it began from none
    QString FromProgram;
    QString FromStream;
    qint64 FromSnapshot = 0;
    QString FromFile;
    double FromStep = 0;
    QStringList Changed; ///< steered parameters that are others than there: "feed: 0.03, now 0.04"
    bool Restored = false; ///< files that were brought back from disk, by Program

    bool operator==(const Run&) const = default;
  };

  /// The file that was brought back from disk last, or is.
  struct Restoring
  {
    QString Path; ///< empty: none was
    qint64 Bytes = 0;
    qint64 FileSize = 0;
    qint64 Number = 0; ///< of the snapshot that it is by now; 0: it is none yet
    QString Failure;   ///< why it will be none

    bool underway() const { return !Path.isEmpty() && Number == 0 && Failure.isEmpty(); }
  };

  ///@{
  /// \name From ServerStatus.
  QString State = "idle";
  QString LastError;
  double LastErrorAt = 0; ///< seconds since 1970
  QString Crash;          ///< what ParaView crashed of before this one, if that is still there
  QStringList Receiving;  ///< files that are being written
  qint64 WritersSeen = 0;
  qint64 SnapshotsSealed = 0;
  qint64 SnapshotsDropped = 0;
  double WaitingSeconds = 0; ///< how long a simulation has been waiting for room; 0: none does
  qint64 MemoryUsed = 0;
  qint64 MemoryBudget = 0;
  qint64 OutgrownBytes = 0;    ///< on disk, of files that do not fit the memory
  QVector<qint64> HostBytes;   ///< put to each host for the newest snapshot
  QVector<Snapshot> Snapshots; ///< in the order of their numbers
  qint64 Revision = 0;         ///< of Snapshots; 0: not known
  QVector<Run> Runs;           ///< of those, and what they began from
  qint64 WaitingForDisk = 0;   ///< files that are to be on disk as well, and are not yet
  QString DiskTrouble;         ///< why some of those could not be written; empty: none failed
  Restoring Restored;
  QVector<qint64> RunsConnected; ///< of the simulations that are connected
  /// The settings in force.
  QString Strategy;
  qint64 BlockSize = 0;
  qint64 MaximumSnapshots = 0;
  QString AlsoOnDisk;     ///< which files are put on disk as well: none, all, every 5, patterns
  QString WhenFull;       ///< drop oldest, block, drop newest
  QString Publish;        ///< when files are shown: close, flush
  QStringList Transports; ///< what the hosts offer and have passed over, and how memory is lent
  ///@}

  ///@{
  /// \name From properties of their own.
  QString ContactPath;
  QString LaunchCommand;
  QString Writers;   ///< the simulations that are connected, in one text
  QString Transport; ///< in force
  QString PendingChanges;
  QString CommandError;
  QString Steering; ///< JSON: see pqDSMSteeringStatus
  int Hosts = 0;
  bool SeparateHosts = false; ///< they are processes of their own, and can outlive ParaView
  bool Watched = false;       ///< another program has started the server, which is only watched
  ///@}
  int SteeringSamples = 0; ///< most samples of each observable in Steering

  /// A snapshot by its number; null: it is not in memory.
  const Snapshot* find(qint64 number) const;

  /// Whether two lists of snapshots are one object in memory. Lists of polls between which nothing
  /// changed are.
  static bool isSame(const QVector<Snapshot>& one, const QVector<Snapshot>& other)
  {
    return one.constData() == other.constData() && one.size() == other.size();
  }

  /// How many snapshots there are as the server counts them, which keeps MaximumSnapshots: each of
  /// the files that one is in.
  qint64 keptFiles() const;

  bool running() const { return !this->ContactPath.isEmpty(); }

  /// `before`: the status that the panel had. The text has the snapshots that changed since then.
  /// If it is about another revision, the list stays, and Revision becomes 0, which asks for all.
  static pqDSMStatus parse(const QString& serverStatus, const pqDSMStatus& before);
};

#endif
