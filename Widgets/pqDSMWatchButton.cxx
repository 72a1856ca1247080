// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMWatchButton.h"

#include "pqDSMText.h"
#include "pqDSMWatchedServers.h"

#include <QAction>
#include <QFileInfo>
#include <QMenu>

pqDSMWatchButton::pqDSMWatchButton(QWidget* parent)
  : Superclass(parent)
{
  this->setText(tr("Watch"));
  this->setToolTip(pqDSMText::tip(
    tr("Show the snapshots of a server that another program has started, and steer its "
       "simulations. This ParaView shares no memory.")));
  this->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(this);
  menu->setObjectName("watchMenu");
  this->setMenu(menu);
  QObject::connect(menu, &QMenu::aboutToShow, this, &pqDSMWatchButton::fill);
}

void pqDSMWatchButton::setServer(pqServer* server)
{
  this->Server = server;
}

void pqDSMWatchButton::fill()
{
  auto* menu = this->menu();
  menu->clear();
  for (const QString& contact : pqDSMWatchedServers::present(this->Server))
  {
    const QFileInfo file(contact);
    auto* action = menu->addAction(tr("%1 in %2").arg(file.fileName(), file.path()));
    action->setObjectName("watch " + contact);
    QObject::connect(
      action, &QAction::triggered, this, [this, contact] { Q_EMIT this->watchRequested(contact); });
  }
  menu->addSeparator();
  auto* choose = menu->addAction(tr("Choose Contact File…"));
  choose->setObjectName("watchChoose");
  QObject::connect(choose, &QAction::triggered, this, &pqDSMWatchButton::choiceRequested);
}
