// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMHeader.h"

#include "pqDSMLaunchLine.h"
#include "pqDSMMessageLabel.h"
#include "pqDSMReservedLabel.h"
#include "pqDSMScroll.h"
#include "pqDSMServerProxy.h"
#include "pqDSMStateLine.h"
#include "pqDSMText.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

namespace
{
// The place for the launch line or an error; longer ones scroll.
constexpr int BoxLines = 3;
constexpr int BoxFrame = 4; // pixels of the frame around it
}

pqDSMHeader::pqDSMHeader(QWidget* parent)
  : Superclass(parent)
  , State(new pqDSMStateLine(this))
  , Start(new QPushButton(tr("Start"), this))
  , Stop(new QPushButton(tr("Stop Hosting"), this))
  , Launch(new pqDSMLaunchLine(this))
  , Memory(new QProgressBar(this))
{
  this->setObjectName("header");
  this->State->setObjectName("state");
  this->Start->setObjectName("start");
  this->Start->setToolTip(pqDSMText::tip(
    tr("Share memory with simulations, and write the contact file. Simulations use it to find "
       "ParaView.")));
  this->Stop->setObjectName("stop");
  this->Stop->setToolTip(pqDSMText::tip(
    tr("Release the memory and delete the contact file. Running simulations continue on disk. Asks "
       "before discarding data.")));
  this->Memory->setObjectName("memory");
  this->Memory->setRange(0, 1000);

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(this->State);
  this->State->addButton(this->Start);
  this->State->addButton(this->Stop);
  this->Box = new QStackedWidget(this);
  this->Launch->setObjectName("launchLine");
  this->Box->addWidget(this->Launch);
  this->ErrorBox = this->makeError();
  this->Box->addWidget(this->ErrorBox);
  const auto margins = this->Launch->layout()->contentsMargins();
  this->Box->setFixedHeight(pqDSMReservedLabel::heightOf(BoxLines, this) + margins.top() +
    margins.bottom() + 2 * this->Box->frameWidth() + BoxFrame);
  column->addWidget(this->Box);
  column->addWidget(this->Memory);

  QObject::connect(this->Start, &QPushButton::clicked, this, &pqDSMHeader::startRequested);
  QObject::connect(this->Stop, &QPushButton::clicked, this, &pqDSMHeader::stopRequested);
  QObject::connect(
    this->State, &pqDSMStateLine::flushesRequested, this, &pqDSMHeader::flushesRequested);
  QObject::connect(
    this->Launch, &pqDSMLaunchLine::folderRequested, this, &pqDSMHeader::folderRequested);
}

QWidget* pqDSMHeader::makeError()
{
  auto* box = new QFrame(this);
  box->setObjectName("errorBox");
  box->setFrameShape(QFrame::StyledPanel);
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(6, 4, 2, 4);
  auto* sign = new QLabel(box);
  sign->setPixmap(this->style()->standardIcon(QStyle::SP_MessageBoxWarning).pixmap(16));
  this->ErrorText = new pqDSMMessageLabel(box);
  this->ErrorText->setObjectName("errorText");
  this->ErrorText->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* dismiss = new QToolButton(box);
  dismiss->setObjectName("dismiss");
  dismiss->setText(QString(QChar(0x00d7)));
  dismiss->setAutoRaise(true);
  dismiss->setToolTip(
    pqDSMText::tip(tr("Hide this message and show the launch command again. The message stays in "
                      "View > Output Messages.")));
  row->addWidget(sign, 0, Qt::AlignTop);
  row->addWidget(new pqDSMScroll(this->ErrorText, box), 1);
  row->addWidget(dismiss, 0, Qt::AlignTop);
  QObject::connect(dismiss, &QToolButton::clicked, this,
    [this]
    {
      this->Dismissed = this->ErrorText->text();
      this->Box->setCurrentWidget(this->Launch);
    });
  return box;
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
  this->Start->setEnabled(server.proxy() && !running);
  this->Start->setVisible(!running);
  this->Stop->setEnabled(running);
  this->Stop->setVisible(running);
  this->Launch->show(status.LaunchCommand, !status.Writers.isEmpty(), server.contactPlace());
  this->showMemory(status);
}

void pqDSMHeader::showLost(const pqDSMServerProxy& server)
{
  const auto& status = server.status();
  this->State->show(tr("Server lost"),
    !status.running() ? tr("The ParaView server has ended. Start it again and connect.")
      : server.separate()
      ? tr("The ParaView server has ended. The host processes keep all snapshots. Start the server "
           "again, connect, and click Start with the contact file %1. If a snapshot caused the "
           "crash, the panel will say which.")
          .arg(pqDSMText::breakable(status.ContactPath))
      : tr("The ParaView server has ended, and its snapshots are lost. Running simulations "
           "continue without it. Start the server again, connect, and click Start."),
    true);
  this->Start->setEnabled(false);
  this->Stop->setEnabled(false);
}

void pqDSMHeader::showMemory(const pqDSMStatus& status)
{
  if (!status.running())
  {
    this->Memory->setValue(0);
    this->Memory->setFormat(tr("Memory: not shared"));
    this->Memory->setToolTip(tr("Shows the memory that simulations use. Click Start to share it."));
  }
  else if (status.MemoryBudget > 0)
  {
    this->Memory->setValue(static_cast<int>(1000 * status.MemoryUsed / status.MemoryBudget));
    const QString used =
      tr("Memory: %1 of %2 in use")
        .arg(pqDSMText::bytes(status.MemoryUsed), pqDSMText::bytes(status.MemoryBudget));
    this->Memory->setFormat(status.OutgrownBytes == 0
        ? used
        : tr("%1, %2 more on disk").arg(used, pqDSMText::bytes(status.OutgrownBytes)));
    this->Memory->setToolTip(status.Hosts == 1
        ? tr("Shows how much of the shared memory holds files.")
        : pqDSMText::tip(tr("Shows how much of the shared memory holds files. The %1 processes of "
                            "the ParaView server (the hosts) share it.")
              .arg(status.Hosts)));
  }
}

void pqDSMHeader::showError(const pqDSMServerProxy& server, const QString& readerError)
{
  const auto& status = server.status();
  // What happened to one simulation is over when the next one has come.
  if (status.LastErrorAt != this->LastErrorAt)
  {
    this->LastErrorAt = status.LastErrorAt;
    this->WritersAtError = status.WritersSeen;
  }
  const bool isOver = status.LastError.isEmpty() || status.WritersSeen > this->WritersAtError;
  const QString last =
    isOver ? QString() : tr("%1: %2").arg(pqDSMText::clock(status.LastErrorAt), status.LastError);
  // It stays in the status, and other errors are to be seen once it was read.
  if (!status.Crash.isEmpty() && status.Crash == this->Dismissed)
  {
    this->DismissedCrash = status.Crash;
  }
  const bool hasCrashed = !status.Crash.isEmpty() && status.Crash != this->DismissedCrash;
  const QString error = !status.CommandError.isEmpty() ? status.CommandError
    : !readerError.isEmpty()                           ? readerError
    : hasCrashed                                       ? status.Crash
                                                       : last;
  if (error != this->ErrorText->text())
  {
    this->ErrorText->showMessage(error, true);
    this->Dismissed.clear();
  }
  this->Box->setCurrentWidget(
    !error.isEmpty() && error != this->Dismissed ? this->ErrorBox : this->Launch);
  // Commands and readers log their errors themselves.
  if (status.LastError != this->Logged)
  {
    this->Logged = status.LastError;
    if (!this->Logged.isEmpty())
    {
      qWarning("DSM: %s", qUtf8Printable(this->Logged));
    }
  }
}

QString pqDSMHeader::errorText() const
{
  return this->ErrorText->text();
}
