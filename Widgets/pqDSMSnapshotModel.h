// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSnapshotModel_h
#define pqDSMSnapshotModel_h

#include "pqDSMStreams.h"

#include <QAbstractItemModel>
#include <QHash>

#include <functional>

/// The snapshots in the server's memory, newest first, in groups: the streams that simulations
/// write, and what earlier runs have left. The snapshots of a single stream are in no group.
class pqDSMSnapshotModel : public QAbstractItemModel
{
  Q_OBJECT
  using Superclass = QAbstractItemModel;

public:
  enum Column
  {
    Number,
    Step,
    Size,
    File,
    Written,
    Pin,
    Time,
    Columns
  };

  enum Role
  {
    ValueRole = Qt::UserRole, ///< what a column is sorted by
    StreamRole,               ///< of a snapshot
    RunRole,                  ///< of a snapshot
  };

  using Superclass::Superclass;

  /// Inserts and removes rows, so that a view keeps its scroll position. `isWanted`: which streams
  /// are shown.
  void show(const QVector<pqDSMStreams::Group>& groups,
    const std::function<bool(const QString&)>& isWanted);
  /// The snapshots that readers show.
  void setShown(const QVector<qint64>& numbers);
  /// The times in their files.
  void setTimes(const QHash<qint64, double>& times);
  /// Whether there are times other than the steps.
  bool hasTimes() const { return this->HasTimes; }
  /// The groups, in their order; those that are rows of their own.
  QVector<QModelIndex> groups() const;
  /// Of its first column; invalid where it is not there.
  QModelIndex indexOf(qint64 number) const;
  /// Null: a group stands there, or nothing.
  const pqDSMStatus::Snapshot* snapshotAt(const QModelIndex& index) const;

  qint64 numberAt(const QModelIndex& index) const;
  QString streamAt(const QModelIndex& index) const;
  /// Null: no group stands there.
  const pqDSMStreams::Group* describedAt(const QModelIndex& index) const;
  /// Of a group: what tells it from others. Empty: it is a snapshot.
  QString groupAt(const QModelIndex& index) const;
  /// Whether a group is of a stream that is shown, or could be.
  bool isCurrent(const QModelIndex& index) const;
  bool isWanted(const QModelIndex& index) const;
  /// Whether there are groups only.
  bool isGrouped() const { return this->Flat == 0; }

  QModelIndex index(int row, int column, const QModelIndex& parent = QModelIndex()) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = QModelIndex()) const override;
  int columnCount(const QModelIndex& parent = QModelIndex()) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
  void pinRequested(qint64 number, bool pinned);
  void wantedChanged(const QString& stream, bool wanted);

private:
  struct Group
  {
    pqDSMStreams::Group Of;
    bool Wanted = false;
    QVector<pqDSMStatus::Snapshot> Rows; ///< newest first
  };

  static QString key(const Group& group);
  const Group* groupOf(const QModelIndex& index) const;
  qsizetype above() const;
  QModelIndex parentOf(int group) const;
  void showRows(int group);
  void removeRows(int group);
  void changed(int group, const QVector<qsizetype>& rows, const QList<int>& roles);
  void changed(const QVector<qint64>& numbers, const QList<int>& roles);
  void lookForTimes();
  QVariant groupData(const Group& group, const QModelIndex& index, int role) const;
  QVariant snapshotData(const pqDSMStatus::Snapshot& snapshot, int column, int role) const;
  QString text(const pqDSMStatus::Snapshot& snapshot, int column) const;
  QVariant value(const pqDSMStatus::Snapshot& snapshot, int column) const;

  QVector<Group> Groups;
  /// Whether the first group's snapshots stand above the others, by themselves: 1; or it is as the
  /// others: 0.
  int Flat = 1;
  QVector<qint64> Shown;
  QHash<qint64, double> Times;
  bool HasTimes = false;
};

#endif
