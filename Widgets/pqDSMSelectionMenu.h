// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSelectionMenu_h
#define pqDSMSelectionMenu_h

#include "pqDSMStatus.h"

#include <QMenu>

class pqDSMServerProxy;

/// The menu of the rows that are selected, with the actions for several snapshots. It deletes
/// itself when it is closed.
class pqDSMSelectionMenu : public QMenu
{
  Q_OBJECT
  using Superclass = QMenu;

public:
  pqDSMSelectionMenu(
    const QVector<pqDSMStatus::Snapshot>& snapshots, pqDSMServerProxy* server, QWidget* parent);

private:
  void addPin(const QString& text, bool pinned);
  void save();

  QVector<pqDSMStatus::Snapshot> Snapshots;
  pqDSMServerProxy* Server;
};

#endif
