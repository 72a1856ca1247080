// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSnapshotPage_h
#define pqDSMSnapshotPage_h

#include "pqDSMSnapshotCounts.h"
#include "pqDSMStreams.h"

#include <QElapsedTimer>
#include <QHash>
#include <QWidget>

#include <functional>

class pqDSMReservedLabel;
class pqDSMFollower;
class pqDSMRestoreButton;
class pqDSMServerProxy;
class pqDSMFilterLine;
class pqDSMSnapshotFilter;
class pqDSMSnapshotModel;
class pqDSMSnapshotTable;
class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QRadioButton;
class QStackedWidget;

/// The page "Snapshots": the snapshots in memory, which of them is shown, and which are pinned.
class pqDSMSnapshotPage : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  pqDSMSnapshotPage(pqDSMFollower* follower, pqDSMServerProxy* server, QWidget* parent);

  void show(const pqDSMStatus& status);
  /// Shows one snapshot and holds it.
  void pick(qint64 number);
  /// Asks for a file, and writes what the list shows into it.
  void exportTable();

Q_SIGNALS:
  void pinRequested(const QVector<qint64>& pinned, const QVector<qint64>& unpinned);
  /// The user chose another snapshot.
  void picked();
  /// The menu of a row, or of several that are selected, at a place of the screen.
  void menuRequested(const QVector<pqDSMStatus::Snapshot>& snapshots, const QPoint& place);
  /// The menu of a stream or run.
  void groupMenuRequested(const pqDSMStreams::Group& group, const QPoint& place);

private:
  QWidget* makeChoice();
  QWidget* makeColorRange();
  void makeTable();
  void showGroups();
  QWidget* makeBlank();
  void showBlank(const pqDSMStatus& status);
  bool isInSight(qint64 number) const;
  QModelIndex rowOf(qint64 number) const;
  QVector<pqDSMStatus::Snapshot> selected() const;
  void openMenu(const QPoint& place);
  void togglePins();

  pqDSMFollower* Follower;
  pqDSMServerProxy* Server;
  pqDSMSnapshotModel* Snapshots;
  pqDSMSnapshotFilter* Rows; ///< the snapshots that are listed, in their order
  QRadioButton* Follow;
  QRadioButton* Hold;
  pqDSMRestoreButton* Restore;
  QCheckBox* Automatic;
  QStackedWidget* List; ///< the table, or a text while it is empty
  pqDSMFilterLine* Filter;
  pqDSMSnapshotTable* Table;
  QLabel* Empty;
  pqDSMReservedLabel* Counts;
  pqDSMReservedLabel* Retention; ///< where the files are, and how long
  QWidget* Blank;                ///< why nothing is to be seen
  QLabel* BlankText;
  QPushButton* BlankButton;
  std::function<void()> Mend;
  QElapsedTimer SinceBlank;
  QHash<QString, bool> Expanded; ///< the groups that the user has opened or closed
  pqDSMStreams::Cache Groups;
  pqDSMSnapshotCounts Numbers;
  qint64 Shown = 0; ///< the snapshot that the list goes along with
};

#endif
