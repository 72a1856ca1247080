// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringRow.h"

#include "pqDSMNotice.h"
#include "pqDSMSteeringField.h"

#include <QFrame>
#include <QGridLayout>
#include <QLabel>

namespace
{
using Status = pqDSMSteeringStatus;

const QColor Bad(0xd2, 0x3c, 0x32);

// Not by a style sheet: each takes as long as the rest of a row, at each look.
void Fill(QWidget* widget, const QColor& colour)
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
    lines << QObject::tr("from %1 to %2%3")
               .arg(Status::text(parameter.Minimum), Status::text(parameter.Maximum), unit);
  }
  else if (low || high)
  {
    lines << (low ? QObject::tr("at least %1%2").arg(Status::text(parameter.Minimum), unit)
                  : QObject::tr("at most %1%2").arg(Status::text(parameter.Maximum), unit));
  }
  lines << QObject::tr("at the start: %1").arg(Status::text(parameter.Default));
  return lines.join('\n');
}
}

pqDSMSteeringRow::pqDSMSteeringRow(
  const Status::Parameter& parameter, QGridLayout* grid, int row, QWidget* parent)
  : Superclass(parent)
  , Declared(parameter)
  , Mark(new QFrame(parent))
  , Label(new QLabel(parent))
  , Field(pqDSMSteeringField::make(parameter, parent))
  , Note(new pqDSMNotice(parent))
{
  // Slashes separate widgets in ParaView's tests.
  QString name = parameter.Name;
  name.replace('/', '|');
  this->Field->setObjectName("parameter " + name);
  this->Mark->setObjectName("mark " + name);
  this->Mark->setFixedWidth(3);
  const QString tip = ToolTip(parameter);
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
      if (!this->Touched)
      {
        this->Touched = true;
        this->Base = this->Known;
      }
      this->Reason.clear();
      this->display();
      Q_EMIT this->valueChanged();
    });
  this->display();
}

void pqDSMSteeringRow::setKnown(const QJsonValue& value)
{
  this->Known = value;
  if (!this->Touched && this->OnTheWay == 0 && !Status::same(this->Field->value(), value))
  {
    this->Field->setValue(value);
    Q_EMIT this->valueChanged();
  }
  this->display();
}

void pqDSMSteeringRow::reset()
{
  this->Touched = false;
  this->Reason.clear();
  this->Field->setValue(this->Known);
  this->display();
  Q_EMIT this->valueChanged();
}

bool pqDSMSteeringRow::changed() const
{
  return this->Touched && !Status::same(this->Field->value(), this->Known);
}

void pqDSMSteeringRow::sent()
{
  ++this->OnTheWay;
  this->Touched = false;
  this->Reason.clear();
  this->display();
}

void pqDSMSteeringRow::settled()
{
  this->OnTheWay = std::max(0, this->OnTheWay - 1);
  this->setKnown(this->Known);
}

void pqDSMSteeringRow::refused(const QString& reason)
{
  this->OnTheWay = std::max(0, this->OnTheWay - 1);
  // It stands there as it was entered, to be mended.
  this->Touched = true;
  this->Base = this->Known;
  this->Reason = reason;
  this->display();
  Q_EMIT this->valueChanged();
}

void pqDSMSteeringRow::display()
{
  const bool changed = this->changed();
  auto font = this->Label->font();
  font.setBold(changed);
  this->Label->setFont(font);
  const bool elsewhere = changed && !Status::same(this->Base, this->Known);
  this->Note->say(!this->Reason.isEmpty() ? this->Reason
      : elsewhere ? tr("has become %1 in the simulation meanwhile").arg(Status::text(this->Known))
                  : QString(),
    !this->Reason.isEmpty());
  this->Note->setVisible(!this->Note->text().isEmpty());
  const bool bad = !this->Reason.isEmpty();
  this->Mark->setToolTip(bad ? tr("Refused by the simulation")
      : changed              ? tr("Changed here, and not applied yet")
      : this->OnTheWay > 0   ? tr("Sent; the simulation takes it with its next step")
                             : QString());
  const auto& usual = this->Mark->parentWidget()->palette();
  this->Mark->setAutoFillBackground(bad || changed || this->OnTheWay > 0);
  Fill(this->Mark, bad ? Bad : usual.color(changed ? QPalette::Highlight : QPalette::Mid));
}
