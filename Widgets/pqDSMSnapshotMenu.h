// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSnapshotMenu_h
#define pqDSMSnapshotMenu_h

#include "pqDSMStreams.h"

#include <QMenu>

class pqDSMServerProxy;
class pqPipelineSource;

/// What can be done with one snapshot: the menu of its row. Deletes itself when it is closed.
class pqDSMSnapshotMenu : public QMenu
{
  Q_OBJECT
  using Superclass = QMenu;

public:
  /// `groups`: all that there are, with which its run can be compared.
  pqDSMSnapshotMenu(const pqDSMStatus::Snapshot& snapshot,
    const QVector<pqDSMStreams::Group>& groups, pqDSMServerProxy* server, QWidget* parent);

Q_SIGNALS:
  void showRequested();

private:
  /// Returns how a reader finds the snapshot's stream, now and in the memory of another server.
  static QString patternOf(
    const pqDSMStatus::Snapshot& snapshot, const QVector<pqDSMStreams::Group>& groups);

  void saveAs();
  void openBeside();
  pqPipelineSource* makeReader() const;

  pqDSMStatus::Snapshot Snapshot;
  QString Pattern;
  pqDSMServerProxy* Server;
};

#endif
