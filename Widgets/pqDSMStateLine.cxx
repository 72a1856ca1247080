// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMStateLine.h"

#include "pqDSMText.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPixmap>

namespace
{
// Readable on light and dark backgrounds alike; the words beside it say the same.
const QColor Idle(128, 128, 128);
const QColor Waiting(66, 133, 214);
const QColor Good(60, 166, 75);
const QColor Busy(0, 160, 160);
const QColor Resting(150, 110, 200);
const QColor Lost(224, 140, 20);
const QColor Wrong(210, 60, 50);
}

pqDSMStateLine::pqDSMStateLine(QWidget* parent)
  : Superclass(parent)
  , Lamp(new QLabel(this))
  , Title(new QLabel(this))
  , Details(new QLabel(this))
{
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setVerticalSpacing(1);
  grid->addWidget(this->Lamp, 0, 0);
  grid->addWidget(this->Title, 0, 1);
  grid->addWidget(this->Details, 1, 1);
  grid->setColumnStretch(1, 1);
  auto font = this->Title->font();
  font.setBold(true);
  this->Title->setFont(font);
  this->Title->setObjectName("title");
  this->Details->setObjectName("details");
  this->Details->setWordWrap(true);
  this->Details->setTextFormat(Qt::PlainText);
  this->setToolTip(
    tr("Idle: nothing is lent. Listening: simulations can connect. Connected: one has. "
       "Receiving: it writes a file. Waiting for room: it stands still until memory is "
       "free. Paused: somebody who steers it made it stand still. Client lost: it ended "
       "without closing its connection"));
}

QString pqDSMStateLine::stateText() const
{
  return this->Title->text();
}

void pqDSMStateLine::display(const QColor& lamp, const QString& title, const QString& details)
{
  // Most calls change nothing.
  if (this->Lamp->property("color").value<QColor>() != lamp)
  {
    const int side = this->fontMetrics().ascent();
    const qreal ratio = this->devicePixelRatioF();
    QPixmap dot(QSize(side, side) * ratio);
    dot.setDevicePixelRatio(ratio);
    dot.fill(Qt::transparent);
    QPainter painter(&dot);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(lamp);
    painter.drawEllipse(QRectF(0.5, 0.5, side - 1, side - 1));
    painter.end();
    this->Lamp->setPixmap(dot);
    this->Lamp->setProperty("color", lamp);
  }
  this->Title->setText(title);
  this->Details->setText(details);
  this->Details->setVisible(!details.isEmpty());
}

void pqDSMStateLine::show(const QString& state, const QString& explanation, bool wrong)
{
  this->display(wrong ? Wrong : Idle, state, explanation);
}

void pqDSMStateLine::show(const pqDSMStatus& status)
{
  if (!status.running())
  {
    this->display(status.CommandError.isEmpty() ? Idle : Wrong,
      status.CommandError.isEmpty() ? tr("Idle") : tr("Error"),
      status.CommandError.isEmpty()
        ? tr("Press Start: ParaView then lends memory, into which simulations write their files.")
        : QString());
    return;
  }
  if (status.WaitingSeconds > 0)
  {
    this->display(Lost, tr("Waiting for room"),
      status.Writers + "\n" +
        tr("No room for another file: the snapshots here are kept, or nobody has looked at them. "
           "Choose Follow newest, or change When Full in Settings."));
  }
  else if (status.State == "receiving")
  {
    const QString file = QFileInfo(status.Receiving).fileName();
    const QString step = pqDSMText::step(file);
    this->display(Busy, tr("Receiving %1").arg(step.isEmpty() ? file : tr("step %1").arg(step)),
      status.Writers);
  }
  else if (status.State == "paused")
  {
    this->display(Resting, tr("Paused"),
      status.Writers + "\n" + tr("Waits until somebody who steers it lets it go on."));
  }
  else if (status.State == "connected")
  {
    this->display(Good, tr("Connected"), status.Writers);
  }
  else if (status.State == "client lost")
  {
    this->display(Lost, tr("Client lost"),
      tr("The last simulation ended without closing its connection. Its complete files stay; the "
         "next one can connect."));
  }
  else if (status.WritersSeen > 0)
  {
    this->display(
      Waiting, tr("Listening"), tr("The simulation has ended. The next one can connect."));
  }
  else
  {
    this->display(Waiting, tr("Listening"), tr("Start a simulation with the line below."));
  }
}
