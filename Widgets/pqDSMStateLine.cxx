// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMStateLine.h"

#include "pqDSMReservedLabel.h"
#include "pqDSMText.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPixmap>
#include <QToolButton>
#include <QVBoxLayout>

namespace
{
// Visible on light and on dark backgrounds. The text beside the dot says the same.
const QColor IdleColour(128, 128, 128);
const QColor ListeningColour(66, 133, 214);
const QColor ConnectedColour(60, 166, 75);
const QColor ReceivingColour(0, 160, 160);
const QColor PausedColour(150, 110, 200);
const QColor WarningColour(224, 140, 20);
const QColor ErrorColour(210, 60, 50);
}

pqDSMStateLine::pqDSMStateLine(QWidget* parent)
  : Superclass(parent)
  , Dot(new QLabel(this))
  , Title(new QLabel(this))
  , Explanation(new QWidget(this))
  , Details(new pqDSMReservedLabel(1, this->Explanation))
  , AtFlush(new QToolButton(this->Explanation))
{
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(this->Dot);
  line->addWidget(this->Title, 1);
  auto* column = new QVBoxLayout(this->Explanation);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(this->Details);
  column->addWidget(this->AtFlush, 0, Qt::AlignLeft);
  // The name of a file must not widen the panel.
  this->Title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto font = this->Title->font();
  font.setBold(true);
  this->Title->setFont(font);
  this->Dot->setObjectName("sign");
  this->Title->setObjectName("title");
  this->Details->setObjectName("details");
  this->AtFlush->setObjectName("showAtFlush");
  this->AtFlush->setText(tr("Show at Each Flush"));
  this->AtFlush->setToolTip(pqDSMText::tip(tr(
    "Set Show Files to \"also at each flush\", for simulations that keep one file open. The file "
    "is then shown as it is at its next flush.")));
  this->AtFlush->hide();
  QObject::connect(this->AtFlush, &QToolButton::clicked, this, &pqDSMStateLine::flushesRequested);
  this->setToolTip(tr("Shows the state of the server:\n"
                      "Idle: memory is not shared\n"
                      "Listening: simulations can connect\n"
                      "Connected: a simulation is connected\n"
                      "Receiving: the simulation is writing a file\n"
                      "File still open: the simulation has not closed its file for some seconds\n"
                      "Waiting for room: the simulation waits for free memory\n"
                      "Paused: the simulation waits for Resume\n"
                      "Simulation lost: the simulation exited without disconnecting"));
}

QString pqDSMStateLine::stateText() const
{
  return this->StateText;
}

void pqDSMStateLine::paint(const QColor& colour, Sign sign)
{
  const int side = this->fontMetrics().ascent();
  const qreal ratio = this->devicePixelRatioF();
  QPixmap pixmap(QSize(side, side) * ratio);
  pixmap.setDevicePixelRatio(ratio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF area(1, 1, side - 2, side - 2);
  const QPen pen(colour, sign == Sign::Cross ? 3 : 2);
  switch (sign)
  {
    case Sign::Dot:
      painter.setPen(Qt::NoPen);
      painter.setBrush(colour);
      painter.drawEllipse(area);
      break;
    case Sign::Half:
    {
      constexpr int degree = 16; // as Qt counts them
      painter.setPen(pen);
      painter.drawEllipse(area);
      painter.setBrush(colour);
      painter.drawChord(area, 180 * degree, 180 * degree);
      break;
    }
    case Sign::Cross:
      painter.setPen(pen);
      painter.drawLine(area.topLeft(), area.bottomRight());
      painter.drawLine(area.bottomLeft(), area.topRight());
      break;
  }
  painter.end();
  this->Dot->setPixmap(pixmap);
}

void pqDSMStateLine::display(
  const QColor& colour, const QString& title, const QString& details, Sign sign)
{
  // Most calls change nothing.
  const QVariantList shown = { colour, static_cast<int>(sign) };
  if (this->Dot->property("sign").toList() != shown)
  {
    this->Dot->setProperty("sign", shown);
    this->paint(colour, sign);
  }
  this->StateText = title;
  this->elideTitle();
  this->Details->showText(details);
}

void pqDSMStateLine::elideTitle()
{
  const QString fits =
    this->Title->fontMetrics().elidedText(this->StateText, Qt::ElideMiddle, this->Title->width());
  if (fits != this->Title->text())
  {
    this->Title->setText(fits);
  }
}

void pqDSMStateLine::resizeEvent(QResizeEvent* event)
{
  Superclass::resizeEvent(event);
  this->elideTitle();
}

void pqDSMStateLine::show(const QString& state, const QString& explanation, bool isError)
{
  this->AtFlush->hide();
  this->display(isError ? ErrorColour : IdleColour, state, explanation);
}

void pqDSMStateLine::showReceiving(const pqDSMStatus& status)
{
  if (const QString kept = this->KeptOpen.file(); !kept.isEmpty())
  {
    this->display(ReceivingColour, tr("File still open"),
      tr("%1\n%2 is shown when the simulation closes it.")
        .arg(status.Writers, pqDSMText::breakable(QFileInfo(kept).fileName())),
      Sign::Half);
    return;
  }
  const QString file = QFileInfo(status.Receiving.value(0)).fileName();
  const QString step = pqDSMText::step(file);
  this->display(ReceivingColour,
    tr("Receiving %1").arg(step.isEmpty() ? file : tr("step %1").arg(step)), status.Writers);
}

void pqDSMStateLine::show(const pqDSMStatus& status)
{
  this->KeptOpen.update(status);
  this->AtFlush->setVisible(!this->KeptOpen.file().isEmpty());
  if (!status.running())
  {
    this->display(status.CommandError.isEmpty() ? IdleColour : ErrorColour,
      status.CommandError.isEmpty() ? tr("Idle") : tr("Error"),
      status.CommandError.isEmpty()
        ? tr("Click Start to share memory with simulations. They write their files into it.")
        : QString());
    return;
  }
  if (status.WaitingSeconds > 0)
  {
    // The server says that it waits, not for what; it is for the memory unless there are as many
    // snapshots as may be.
    const bool many = status.keptFiles() >= status.MaximumSnapshots;
    const QString full = status.WaitingForDisk > 0
      ? tr("Memory is full; waiting for %1 files to be saved to disk. Change Memory Per Host or "
           "Save to Disk.")
          .arg(status.WaitingForDisk)
      : many
      ? (status.keptFiles() == status.Snapshots.size()
            ? tr("The limit of %1 snapshots has been reached. Follow the newest, or change Maximum "
                 "Snapshots or When Full.")
            : tr("The limit of %1 files in memory has been reached. Follow the newest, or change "
                 "Maximum Snapshots or When Full."))
          .arg(status.MaximumSnapshots)
      : tr("Memory is full. Follow the newest, or change Memory Per Host or When Full.");
    this->display(WarningColour, tr("Waiting for room"), status.Writers + "\n" + full, Sign::Half);
  }
  else if (status.State == "receiving")
  {
    this->showReceiving(status);
  }
  else if (status.State == "paused")
  {
    this->display(PausedColour, tr("Paused"),
      status.Writers + "\n" +
        tr("Click Resume on the Steering tab (another viewer can also resume it)."));
  }
  else if (status.State == "connected")
  {
    this->display(ConnectedColour, tr("Connected"), status.Writers);
  }
  else if (status.State == "simulation lost")
  {
    this->display(ErrorColour, tr("Simulation lost"),
      tr("The simulation exited unexpectedly at %1. Files it had finished are still here. A new "
         "simulation can connect.")
        .arg(pqDSMText::clock(status.LastErrorAt)),
      Sign::Cross);
  }
  else if (status.State == "hosts lost")
  {
    this->display(ErrorColour, tr("Hosts lost"),
      status.Watched
        ? tr("The server is not responding. If it starts again with the same contact file, its "
             "snapshots appear here.")
        : tr("The host processes, which hold the memory, are not responding. If they have ended, "
             "click Stop Hosting, then Start. Simulations write to disk meanwhile."),
      Sign::Cross);
  }
  else if (status.WritersSeen > 0)
  {
    this->display(ListeningColour, tr("Listening"),
      tr("The simulation has ended. A new simulation can connect."));
  }
  else
  {
    this->display(ListeningColour, tr("Listening"), tr("Run your simulation with this command:"));
  }
}
