// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringRow.h"

#include "pqDSMMessageLabel.h"
#include "pqDSMSteeringField.h"
#include "pqDSMText.h"

#include <QFrame>
#include <QGridLayout>
#include <QLabel>

namespace
{
using Status = pqDSMSteeringStatus;

const QColor RefusedColour(0xd2, 0x3c, 0x32);

// Not by a style sheet, which takes as long as the rest of the row at each update.
void SetBackground(QWidget* widget, const QColor& colour)
{
  if (widget->palette().color(QPalette::Window) != colour)
  {
    auto palette = widget->palette();
    palette.setColor(QPalette::Window, colour);
    widget->setPalette(palette);
  }
}

QString ToolTip(const Status::Parameter& parameter)
{
  const QString unit = parameter.Unit.isEmpty() ? QString() : " " + parameter.Unit;
  QStringList lines;
  if (!parameter.Text.isEmpty())
  {
    lines << parameter.Text;
  }
  const bool low = parameter.Minimum.isDouble();
  const bool high = parameter.Maximum.isDouble();
  if (low && high)
  {
    lines << QObject::tr("Range: %1 to %2%3")
               .arg(Status::text(parameter.Minimum), Status::text(parameter.Maximum), unit);
  }
  else if (low || high)
  {
    lines << (low ? QObject::tr("Minimum: %1%2").arg(Status::text(parameter.Minimum), unit)
                  : QObject::tr("Maximum: %1%2").arg(Status::text(parameter.Maximum), unit));
  }
  lines << (parameter.Type == "array"
      ? QObject::tr("From Python: dsm.Viewer(\"run.dsm\").send(\"%1\", values)").arg(parameter.Name)
      : QObject::tr("Initial value: %1").arg(Status::text(parameter.Default)));
  return lines.join('\n');
}
}

pqDSMSteeringRow::pqDSMSteeringRow(
  const Status::Parameter& parameter, QGridLayout* grid, int row, QWidget* parent)
  : Superclass(parent)
  , Declaration(parameter)
  , Mark(new QFrame(parent))
  , Label(new QLabel(parent))
  , Field(pqDSMSteeringField::make(parameter, parent))
  , Note(new pqDSMMessageLabel(parent))
{
  // In the names of ParaView's tests a slash separates widgets.
  QString name = parameter.Name;
  name.replace('/', '|');
  this->Field->setObjectName("parameter " + name);
  this->Mark->setObjectName("mark " + name);
  this->Mark->setFixedWidth(3);
  const QString tip = pqDSMText::tip(ToolTip(parameter));
  const auto metrics = this->Label->fontMetrics();
  this->Label->setText(
    metrics.elidedText(parameter.Name, Qt::ElideMiddle, 18 * metrics.averageCharWidth()));
  this->Label->setTextFormat(Qt::PlainText);
  this->Label->setToolTip(
    this->Label->text() == parameter.Name ? tip : parameter.Name + '\n' + tip);
  this->Field->setToolTip(tip);
  this->Note->setObjectName("note " + name);
  grid->addWidget(this->Mark, row, 0, 2, 1);
  grid->addWidget(this->Label, row, 1);
  grid->addWidget(this->Field, row, 2, 1, parameter.Unit.isEmpty() ? 2 : 1);
  if (!parameter.Unit.isEmpty())
  {
    auto* unit = new QLabel(parameter.Unit, parent);
    unit->setTextFormat(Qt::PlainText);
    grid->addWidget(unit, row, 3);
  }
  grid->addWidget(this->Note, row + 1, 2, 1, 2);
  QObject::connect(this->Field, &pqDSMSteeringField::edited, this,
    [this]
    {
      if (!this->Edited)
      {
        this->Edited = true;
        this->ValueBeforeEdit = this->SimulationValue;
      }
      this->Refusal.clear();
      this->display();
      Q_EMIT this->valueChanged();
    });
  QObject::connect(
    this->Field, &pqDSMSteeringField::sendRequested, this, &pqDSMSteeringRow::sendRequested);
  this->display();
}

void pqDSMSteeringRow::setSimulationValue(const QJsonValue& value)
{
  this->SimulationValue = value;
  if (!this->Edited && this->Unanswered == 0 && !Status::same(this->Field->value(), value))
  {
    this->Field->setValue(value);
    Q_EMIT this->valueChanged();
  }
  this->display();
}

void pqDSMSteeringRow::reset()
{
  this->Edited = false;
  this->Refusal.clear();
  this->Field->setValue(this->SimulationValue);
  this->display();
  Q_EMIT this->valueChanged();
}

bool pqDSMSteeringRow::changed() const
{
  return this->Edited && !Status::same(this->Field->value(), this->SimulationValue);
}

void pqDSMSteeringRow::sent()
{
  ++this->Unanswered;
  this->Edited = false;
  this->Refusal.clear();
  this->display();
}

void pqDSMSteeringRow::applied()
{
  this->Unanswered = std::max(0, this->Unanswered - 1);
  this->setSimulationValue(this->SimulationValue);
}

void pqDSMSteeringRow::refused(const QString& reason)
{
  this->Unanswered = std::max(0, this->Unanswered - 1);
  // The field keeps the refused value, for the user to correct it.
  this->Edited = true;
  this->ValueBeforeEdit = this->SimulationValue;
  const QString limit = Status::limit(reason);
  this->Refusal = limit.isEmpty() ? reason : limit;
  this->display();
  Q_EMIT this->valueChanged();
}

void pqDSMSteeringRow::display()
{
  const bool changed = this->changed();
  auto font = this->Label->font();
  font.setBold(changed);
  this->Label->setFont(font);
  const bool changedByOther =
    changed && !Status::same(this->ValueBeforeEdit, this->SimulationValue);
  this->Note->showMessage(!this->Refusal.isEmpty() ? this->Refusal
      : changedByOther
      ? tr("The simulation has since changed it to %1").arg(Status::text(this->SimulationValue))
      : QString(),
    !this->Refusal.isEmpty());
  this->Note->setVisible(!this->Note->text().isEmpty());
  const bool refused = !this->Refusal.isEmpty();
  this->Mark->setToolTip(refused ? tr("Refused by the simulation")
      : changed                  ? tr("Unapplied change")
      : this->Unanswered > 0     ? tr("Sent; takes effect at the next step")
                                 : QString());
  const auto& usual = this->Mark->parentWidget()->palette();
  this->Mark->setAutoFillBackground(refused || changed || this->Unanswered > 0);
  SetBackground(this->Mark,
    refused ? RefusedColour : usual.color(changed ? QPalette::Highlight : QPalette::Mid));
}
