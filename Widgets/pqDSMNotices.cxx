// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMNotices.h"

#include "pqDSMLaunchLine.h"
#include "pqDSMLog.h"
#include "pqDSMMessageLabel.h"
#include "pqDSMReservedLabel.h"
#include "pqDSMScroll.h"
#include "pqDSMServerProxy.h"
#include "pqDSMStateLine.h"
#include "pqDSMText.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

namespace
{
constexpr int ErrorLines = 3; // longer ones scroll
}

pqDSMNotices::pqDSMNotices(pqDSMStateLine* state, QWidget* parent)
  : Superclass(parent)
  , Launch(new pqDSMLaunchLine(state->explanation(), this))
{
  this->setObjectName("notices");
  this->Launch->setObjectName("launchLine");
  this->ErrorBox = this->makeError();
  this->ErrorBox->hide();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(this->ErrorBox);
  column->addWidget(this->Launch);
  QObject::connect(
    this->Launch, &pqDSMLaunchLine::folderRequested, this, &pqDSMNotices::folderRequested);
}

QWidget* pqDSMNotices::makeError()
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
  dismiss->setToolTip(tr("Hide this message. It stays in View > Output Messages."));
  row->addWidget(sign, 0, Qt::AlignTop);
  auto* scroll = new pqDSMScroll(this->ErrorText, box);
  scroll->setFixedHeight(pqDSMReservedLabel::heightOf(ErrorLines, this));
  row->addWidget(scroll, 1);
  row->addWidget(dismiss, 0, Qt::AlignTop);
  QObject::connect(dismiss, &QToolButton::clicked, this,
    [this]
    {
      this->Dismissed = this->ErrorText->text();
      this->ErrorBox->hide();
    });
  return box;
}

void pqDSMNotices::show(const pqDSMServerProxy& server, const QString& readerError)
{
  const auto& status = server.status();
  this->Launch->show(status.LaunchCommand, !status.Writers.isEmpty(), server.contactPlace());
  this->showError(status, readerError);
}

void pqDSMNotices::showError(const pqDSMStatus& status, const QString& readerError)
{
  // An error of one simulation is over when the next one has come.
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
  this->ErrorBox->setVisible(!error.isEmpty() && error != this->Dismissed);
  // Commands and readers log their errors themselves.
  if (status.LastError != this->Logged)
  {
    this->Logged = status.LastError;
    if (!this->Logged.isEmpty())
    {
      pqDSMLog::note(this->Logged);
    }
  }
}

QString pqDSMNotices::errorText() const
{
  return this->ErrorText->text();
}
