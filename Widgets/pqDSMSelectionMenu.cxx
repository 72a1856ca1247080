// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSelectionMenu.h"

#include "pqDSMDropQuestion.h"
#include "pqDSMFileChoice.h"
#include "pqDSMIcons.h"
#include "pqDSMServerProxy.h"
#include "pqDSMSnapshotSaver.h"

#include <QFileInfo>

pqDSMSelectionMenu::pqDSMSelectionMenu(
  const QVector<pqDSMStatus::Snapshot>& snapshots, pqDSMServerProxy* server, QWidget* parent)
  : Superclass(parent)
  , Snapshots(snapshots)
  , Server(server)
{
  this->setObjectName("selectionMenu");
  this->setAttribute(Qt::WA_DeleteOnClose);
  this->addPin(tr("Pin %1 Snapshots"), true);
  this->addPin(tr("Unpin %1 Snapshots"), false);
  this->addSeparator();
  QObject::connect(
    this->addAction(pqDSMIcons::disk(), tr("Save %1 Snapshots…").arg(snapshots.size())),
    &QAction::triggered, this, &pqDSMSelectionMenu::save);
  QObject::connect(this->addAction(tr("Drop %1 Snapshots…").arg(snapshots.size())),
    &QAction::triggered, server,
    [snapshots, server, parent] { (new pqDSMDropQuestion(snapshots, server, parent))->open(); });
}

// For those that are not pinned, or are not unpinned, yet.
void pqDSMSelectionMenu::addPin(const QString& text, bool pinned)
{
  QVector<qint64> numbers;
  for (const auto& snapshot : this->Snapshots)
  {
    if (snapshot.Pinned != pinned)
    {
      numbers.append(snapshot.Number);
    }
  }
  if (!numbers.empty())
  {
    QObject::connect(this->addAction(text.arg(numbers.size())), &QAction::triggered, this->Server,
      [server = this->Server, numbers, pinned]
      {
        server->changePins(
          pinned ? numbers : QVector<qint64>(), pinned ? QVector<qint64>() : numbers);
      });
  }
}

void pqDSMSelectionMenu::save()
{
  // The menu will be gone.
  auto* server = this->Server;
  auto* parent = this->parentWidget();
  pqDSMFileChoice::open(server->server(), parent,
    { "saveSelection", tr("Choose a folder for %1 snapshots").arg(this->Snapshots.size()),
      QFileInfo(this->Snapshots.first().File).path() },
    server, [server, parent, snapshots = this->Snapshots](const QString& folder)
    { (new pqDSMSnapshotSaver(server, parent))->askAndSave(snapshots, folder); });
}
