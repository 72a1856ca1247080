// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSnapshotPage_h
#define pqDSMSnapshotPage_h

#include "pqDSMStatus.h"

#include <QWidget>

class pqDSMFollower;
class pqDSMSnapshotModel;
class QCheckBox;
class QLabel;
class QTableView;
class QToolButton;

/// The page "Snapshots": what is in memory, and which of it is shown.
class pqDSMSnapshotPage : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  pqDSMSnapshotPage(pqDSMFollower* follower, QWidget* parent);

  void show(const pqDSMStatus& status);

Q_SIGNALS:
  void pinRequested(qint64 number, bool pinned);
  /// The user chose another snapshot.
  void picked();

private:
  QWidget* makeChoice();
  void makeTable();

  pqDSMFollower* Follower;
  pqDSMSnapshotModel* Snapshots;
  QToolButton* Follow;
  QToolButton* Hold;
  QCheckBox* Automatic;
  QTableView* Table;
  QLabel* Counts;
};

#endif
