// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMHeader.h"

#include "pqDSMServerProxy.h"
#include "pqDSMStateLine.h"
#include "pqDSMText.h"
#include "pqDSMWatchButton.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>

pqDSMHeader::pqDSMHeader(QWidget* parent)
  : Superclass(parent)
  , State(new pqDSMStateLine(this))
  , Watch(new pqDSMWatchButton(this))
  , Start(new QPushButton(tr("Start"), this))
  , Stop(new QPushButton(this))
  , Memory(new QProgressBar(this))
{
  this->setObjectName("header");
  this->State->setObjectName("state");
  this->Start->setObjectName("start");
  this->Start->setToolTip(pqDSMText::tip(
    tr("Share memory with simulations, and write the contact file. Simulations use it to find "
       "ParaView.")));
  this->Watch->setObjectName("watch");
  this->Stop->setObjectName("stop");
  this->showStop(false);
  this->Memory->setObjectName("memory");
  this->Memory->setRange(0, 1000);
  this->Memory->setFixedWidth(this->fontMetrics().horizontalAdvance("  88.8 of 88.8 MiB  "));

  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(this->State, 1);
  row->addWidget(this->Memory);
  row->addWidget(this->Watch);
  row->addWidget(this->Start);
  row->addWidget(this->Stop);

  QObject::connect(this->Start, &QPushButton::clicked, this, &pqDSMHeader::startRequested);
  QObject::connect(this->Stop, &QPushButton::clicked, this, &pqDSMHeader::stopRequested);
}

void pqDSMHeader::show(const pqDSMServerProxy& server)
{
  const auto& status = server.status();
  const bool running = status.running();
  if (server.comingUp())
  {
    this->State->show(tr("Connecting"), tr("Connecting to the ParaView server…"), false);
  }
  else if (server.pluginMissing())
  {
    this->State->show(tr("Plugin missing"),
      tr("The ParaView server has not loaded the plugin ParaViewDSM. Load it on the remote side of "
         "Tools > Manage Plugins."),
      true);
  }
  else if (!server.proxy())
  {
    this->State->show(tr("Not connected"), tr("ParaView is not connected to a server."), false);
  }
  else
  {
    this->State->show(status);
  }
  this->Watch->setServer(server.server());
  for (QWidget* button : { static_cast<QWidget*>(this->Watch), static_cast<QWidget*>(this->Start) })
  {
    button->setEnabled(server.proxy() && !running);
    button->setVisible(!running);
  }
  this->showStop(status.Watched);
  this->Stop->setEnabled(running);
  this->Stop->setVisible(running);
  this->showMemory(status);
}

void pqDSMHeader::showStop(bool watched)
{
  const QString text = watched ? tr("Stop Watching") : tr("Stop Hosting");
  if (this->Stop->text() == text)
  {
    return;
  }
  this->Stop->setText(text);
  this->Stop->setToolTip(pqDSMText::tip(watched
      ? tr("Disconnect from the server. It goes on, with all its snapshots and simulations.")
      : tr("Release the memory and delete the contact file. Running simulations continue on disk. "
           "Asks before discarding data.")));
}

void pqDSMHeader::showLost(const pqDSMServerProxy& server)
{
  const auto& status = server.status();
  this->State->show(tr("Server lost"),
    !status.running() || status.Watched
      ? tr("The ParaView server has ended. Start it again and connect.")
      : server.separate()
      ? tr("The ParaView server has ended. The host processes keep all snapshots. Start the server "
           "again, connect, and click Start with the contact file %1. If a snapshot caused the "
           "crash, the panel will say which.")
          .arg(pqDSMText::breakable(status.ContactPath))
      : tr("The ParaView server has ended, and its snapshots are lost. Running simulations "
           "continue without it. Start the server again, connect, and click Start."),
    true);
  this->Start->setEnabled(false);
  this->Watch->setEnabled(false);
  this->Stop->setEnabled(false);
}

void pqDSMHeader::showMemory(const pqDSMStatus& status)
{
  if (!status.running())
  {
    this->Memory->setValue(0);
    this->Memory->setFormat(tr("not shared"));
    this->Memory->setToolTip(tr("Shows the memory that simulations use. Click Start to share it."));
  }
  else if (status.MemoryBudget > 0)
  {
    this->Memory->setValue(static_cast<int>(1000 * status.MemoryUsed / status.MemoryBudget));
    this->Memory->setFormat(pqDSMText::bytesOf(status.MemoryUsed, status.MemoryBudget));
    QString tip =
      tr("%1 of %2 of shared memory are in use.")
        .arg(pqDSMText::bytes(status.MemoryUsed), pqDSMText::bytes(status.MemoryBudget));
    if (status.Hosts > 1)
    {
      tip += " " +
        (status.Watched ? tr("%1 processes of another program (the hosts) share it.")
                        : tr("The %1 processes of the ParaView server (the hosts) share it."))
          .arg(status.Hosts);
    }
    if (status.OutgrownBytes > 0)
    {
      tip += " " +
        tr("%1 more are on disk, of files that do not fit.")
          .arg(pqDSMText::bytes(status.OutgrownBytes));
    }
    this->Memory->setToolTip(pqDSMText::tip(tip));
  }
}
