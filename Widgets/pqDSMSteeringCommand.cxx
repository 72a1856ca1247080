// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringCommand.h"

#include "pqDSMIcons.h"
#include "pqDSMQuestion.h"
#include "pqDSMText.h"

#include <QHBoxLayout>
#include <QMap>
#include <QPushButton>
#include <QSpinBox>
#include <QStyle>
#include <QTimer>
#include <QToolButton>

#include <limits>

namespace
{
const QMap<QString, QStyle::StandardPixmap>& Standard()
{
  static const QMap<QString, QStyle::StandardPixmap> icons = {
    { "pause", QStyle::SP_MediaPause },
    { "resume", QStyle::SP_MediaPlay },
    { "advance", QStyle::SP_MediaSkipForward },
    { "pause at", QStyle::SP_MediaPause },
    { "stop", QStyle::SP_MediaStop },
  };
  return icons;
}

constexpr const char* WriteSnapshot = "write snapshot";
constexpr const char* WriteToDisk = "write to disk";

// The header has a Stop of another kind.
QString Label(const QString& name)
{
  return name == "stop" ? pqDSMSteeringCommand::tr("Stop Simulation")
                        : name.left(1).toUpper() + name.mid(1);
}
}

bool pqDSMSteeringCommand::isStandard(const QString& name)
{
  return name == WriteSnapshot || name == WriteToDisk || Standard().contains(name);
}

pqDSMSteeringCommand::pqDSMSteeringCommand(
  const pqDSMSteeringStatus::Command& command, QWidget* parent)
  : Superclass(parent)
  , Name(command.Name)
  , Button(new QToolButton(this))
{
  QString name = command.Name;
  this->setObjectName("command " + name.replace('/', '|'));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(2);
  this->Button->setObjectName("button");
  this->Button->setText(Label(command.Name));
  this->Button->setToolTip(pqDSMText::tip(command.Text.isEmpty() ? command.Name : command.Text));
  this->Button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  this->Button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  if (command.Name == WriteSnapshot)
  {
    this->Button->setIcon(pqDSMIcons::memory());
    this->Button->setToolTip(this->Button->toolTip() + '\n' + tr("Writes a snapshot into memory."));
  }
  else if (command.Name == WriteToDisk)
  {
    this->Button->setIcon(pqDSMIcons::disk());
  }
  else if (isStandard(command.Name))
  {
    // Later: Qt searches the system's themes for each icon, which takes as long as the rest of the
    // page.
    QTimer::singleShot(0, this,
      [this] { this->Button->setIcon(this->style()->standardIcon(Standard()[this->Name])); });
  }
  row->addWidget(this->Button, 1);
  if (command.TakesCount)
  {
    this->Count = new QSpinBox(this);
    this->Count->setObjectName("count");
    this->Count->setRange(1, std::numeric_limits<int>::max());
    this->Count->setToolTip(command.Name == "advance" ? tr("Steps to run before pausing again")
        : command.Name == "pause at"                  ? tr("Step at which to pause")
                                                      : tr("Number to send with the command"));
    // Wide enough for six digits; more can be typed.
    this->Count->setMaximumWidth(12 * this->fontMetrics().averageCharWidth());
    row->addWidget(this->Count);
  }
  QObject::connect(this->Button, &QToolButton::clicked, this, &pqDSMSteeringCommand::press);
}

qsizetype pqDSMSteeringCommand::labelLength() const
{
  return this->Button->text().size();
}

void pqDSMSteeringCommand::press()
{
  const int count = this->Count ? this->Count->value() : 0;
  if (this->Name != "stop")
  {
    Q_EMIT this->commanded(this->Name, count);
    return;
  }
  // It cannot be undone, and the button is one among others.
  auto* question = new pqDSMQuestion("stopQuestion", tr("Stop Simulation"),
    tr("Stop the simulation after the current step?"), tr("Cancel"), this);
  auto* yes = question->addAnswer({ "yes", tr("Stop Simulation"),
    tr("Stop the simulation after the current step."), QMessageBox::AcceptRole });
  QObject::connect(
    yes, &QPushButton::clicked, this, [this, count] { Q_EMIT this->commanded(this->Name, count); });
  question->open();
}
