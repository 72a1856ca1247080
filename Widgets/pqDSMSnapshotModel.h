// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSnapshotModel_h
#define pqDSMSnapshotModel_h

#include "pqDSMStatus.h"

#include <QAbstractTableModel>

/// The snapshots in the server's memory, newest first.
class pqDSMSnapshotModel : public QAbstractTableModel
{
  Q_OBJECT
  using Superclass = QAbstractTableModel;

public:
  enum Column
  {
    Number,
    Step,
    Size,
    File,
    Written,
    Pin,
    Columns
  };

  using Superclass::Superclass;

  /// Inserts and removes rows, so that a view keeps its scroll position.
  void show(const QVector<pqDSMStatus::Snapshot>& snapshots);
  /// The snapshot that the reader shows; 0: none.
  void setShown(qint64 number);
  qint64 numberAt(const QModelIndex& index) const;

  int rowCount(const QModelIndex& parent = QModelIndex()) const override;
  int columnCount(const QModelIndex& parent = QModelIndex()) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
  void pinRequested(qint64 number, bool pinned);

private:
  QVector<pqDSMStatus::Snapshot> Rows;
  qint64 Shown = 0;
};

#endif
