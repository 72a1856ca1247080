// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringForm.h"

#include "pqDSMSteeringCommand.h"
#include "pqDSMSteeringField.h"
#include "pqDSMSteeringRow.h"

#include <pqProxyWidget.h>

#include <QCheckBox>
#include <QEvent>
#include <QGridLayout>
#include <QJsonArray>

namespace
{
using Status = pqDSMSteeringStatus;
using Kind = pqDSMSteeringWidget3D::Kind;

QJsonValue AsJson(const std::array<double, 3>& vector)
{
  return QJsonArray{ vector[0], vector[1], vector[2] };
}

std::array<double, 3> AsVector(const QJsonValue& json)
{
  const auto array = json.toArray();
  return { array.at(0).toDouble(), array.at(1).toDouble(), array.at(2).toDouble() };
}

QString ShowText(Kind kind)
{
  switch (kind)
  {
    case Kind::Arrow:
      return QObject::tr("Show 3-D Arrow");
    case Kind::Plane:
      return QObject::tr("Show 3-D Plane");
    case Kind::Box:
      return QObject::tr("Show 3-D Box");
    case Kind::Handle:
      break;
  }
  return QObject::tr("Show 3-D Handle");
}

// Parameters without a group come first, the others in the order of their declarations.
template <typename List>
void AddGroups(const List& list, QStringList& groups)
{
  for (const auto& each : list)
  {
    if (!groups.contains(each.Group))
    {
      each.Group.isEmpty() ? groups.prepend(each.Group) : groups.append(each.Group);
    }
  }
}

QVector<Status::Command> GroupedCommands(const Status::Simulation& simulation)
{
  QVector<Status::Command> grouped;
  for (const auto& command : simulation.Commands)
  {
    if (!command.Group.isEmpty() && !pqDSMSteeringCommand::isStandard(command.Name))
    {
      grouped.push_back(command);
    }
  }
  return grouped;
}
}

pqDSMSteeringForm::pqDSMSteeringForm(const Status::Simulation& simulation, QWidget* parent)
  : Superclass(parent)
  , Name(simulation.Name)
  , Parameters(simulation.Parameters)
  , Commands(GroupedCommands(simulation))
  , Grid(new QGridLayout(this))
{
  this->setObjectName("steeringForm");
  this->Grid->setContentsMargins(0, 0, 0, 0);
  this->Grid->setHorizontalSpacing(4);
  this->Grid->setVerticalSpacing(2);
  this->Grid->setColumnStretch(2, 1);
  QStringList groups;
  AddGroups(this->Parameters, groups);
  AddGroups(this->Commands, groups);
  for (const auto& group : groups)
  {
    this->addGroup(group);
  }
  this->Grid->setRowStretch(this->Grid->rowCount(), 1);
  this->setValues(simulation.Values);
}

bool pqDSMSteeringForm::fits(const Status::Simulation& simulation) const
{
  return this->Name == simulation.Name && this->Parameters == simulation.Parameters &&
    this->Commands == GroupedCommands(simulation);
}

void pqDSMSteeringForm::addGroup(const QString& group)
{
  if (!group.isEmpty())
  {
    this->Grid->addWidget(
      pqProxyWidget::newGroupLabelWidget(group, this), this->Grid->rowCount(), 0, 1, 4);
  }
  QVector<pqDSMSteeringRow*> vectors;
  for (const auto& parameter : this->Parameters)
  {
    if (parameter.Group != group)
    {
      continue;
    }
    auto* row = new pqDSMSteeringRow(parameter, this->Grid, this->Grid->rowCount(), this);
    this->Rows[parameter.Name] = row;
    QObject::connect(row, &pqDSMSteeringRow::valueChanged, this, &pqDSMSteeringForm::changed);
    QObject::connect(row, &pqDSMSteeringRow::sendRequested, this,
      [this, row] { Q_EMIT this->sendRequested(row->parameter()); });
    if (parameter.Type == "vector" && !parameter.Meaning.isEmpty())
    {
      const bool single = parameter.Meaning == "position" || parameter.Meaning == "direction";
      single ? this->addWidgets3D({ row }) : vectors.push_back(row);
    }
  }
  this->addWidgets3D(vectors);
  for (const auto& command : this->Commands)
  {
    if (command.Group == group)
    {
      auto* button = new pqDSMSteeringCommand(command, this);
      QObject::connect(
        button, &pqDSMSteeringCommand::commanded, this, &pqDSMSteeringForm::commanded);
      this->Grid->addWidget(button, this->Grid->rowCount(), 1, 1, 3);
    }
  }
}

// A plane or box for two vectors, if the group has both of them. A single one is a position or a
// direction.
void pqDSMSteeringForm::addWidgets3D(const QVector<pqDSMSteeringRow*>& rows)
{
  QMap<QString, pqDSMSteeringRow*> byMeaning;
  for (auto* row : rows)
  {
    byMeaning[row->parameter().Meaning] = row;
  }
  const auto addPair = [&](Kind kind, const char* first, const char* second)
  {
    if (byMeaning.contains(first) && byMeaning.contains(second))
    {
      this->addWidget3D(kind, { byMeaning.take(first), byMeaning.take(second) });
    }
  };
  addPair(Kind::Plane, "plane origin", "plane normal");
  addPair(Kind::Box, "box minimum", "box maximum");
  for (auto* row : byMeaning)
  {
    const auto& meaning = row->parameter().Meaning;
    const bool isDirection = meaning == "direction" || meaning == "plane normal";
    this->addWidget3D(isDirection ? Kind::Arrow : Kind::Handle, { row });
  }
}

void pqDSMSteeringForm::addWidget3D(Kind kind, const QVector<pqDSMSteeringRow*>& rows)
{
  Widget3D entry{ new pqDSMSteeringWidget3D(kind, this), new QCheckBox(ShowText(kind), this),
    rows };
  entry.Show->setObjectName("show " + rows.front()->parameter().Name);
  entry.Show->setToolTip(tr("Move the value with the mouse in the 3-D view, then click Apply."));
  this->Grid->addWidget(entry.Show, this->Grid->rowCount(), 2, 1, 2);
  this->Widgets3D.push_back(entry);
  QObject::connect(entry.Show, &QCheckBox::toggled, this, &pqDSMSteeringForm::showWidgets3D);
  for (auto* row : rows)
  {
    QObject::connect(
      row, &pqDSMSteeringRow::valueChanged, this, [this, entry] { this->setVectors(entry); });
  }
  QObject::connect(entry.Widget, &pqDSMSteeringWidget3D::moved, this,
    [this, entry]
    {
      // Both fields are set before the 3-D widget is set from them again.
      this->Moving = true;
      const auto vectors = entry.Widget->vectors();
      for (qsizetype index = 0; index < entry.Rows.size(); ++index)
      {
        const auto value = AsJson(vectors[index]);
        if (!Status::same(entry.Rows[index]->field()->value(), value))
        {
          entry.Rows[index]->field()->edit(value);
        }
      }
      this->Moving = false;
    });
}

void pqDSMSteeringForm::setVectors(const Widget3D& entry)
{
  if (this->Moving)
  {
    return;
  }
  pqDSMSteeringWidget3D::Vectors vectors;
  for (const auto* row : entry.Rows)
  {
    vectors.push_back(AsVector(row->field()->value()));
  }
  entry.Widget->setVectors(vectors);
}

// They are visible while their fields are, as ParaView's own 3-D widgets.
void pqDSMSteeringForm::showWidgets3D()
{
  for (const auto& entry : this->Widgets3D)
  {
    this->setVectors(entry);
    entry.Widget->setVisible(this->isVisible() && this->isEnabled() && entry.Show->isChecked());
  }
}

void pqDSMSteeringForm::showEvent(QShowEvent* event)
{
  Superclass::showEvent(event);
  this->showWidgets3D();
}

void pqDSMSteeringForm::hideEvent(QHideEvent* event)
{
  Superclass::hideEvent(event);
  this->showWidgets3D();
}

void pqDSMSteeringForm::changeEvent(QEvent* event)
{
  Superclass::changeEvent(event);
  if (event->type() == QEvent::EnabledChange)
  {
    this->showWidgets3D();
  }
}

void pqDSMSteeringForm::setValues(const QJsonObject& values)
{
  for (auto each = this->Rows.begin(); each != this->Rows.end(); ++each)
  {
    // The value of a parameter that was just declared comes with a later status.
    if (values.contains(each.key()))
    {
      each.value()->setSimulationValue(values[each.key()]);
    }
  }
}

QJsonObject pqDSMSteeringForm::changes() const
{
  QJsonObject changes;
  for (auto each = this->Rows.begin(); each != this->Rows.end(); ++each)
  {
    if (each.value()->changed())
    {
      changes[each.key()] = each.value()->field()->value();
    }
  }
  return changes;
}

QWidget* pqDSMSteeringForm::field(const QString& parameter) const
{
  const auto* row = this->Rows.value(parameter);
  return row ? row->field() : nullptr;
}

void pqDSMSteeringForm::enter(const QJsonObject& changes)
{
  for (auto each = changes.begin(); each != changes.end(); ++each)
  {
    if (auto* row = this->Rows.value(each.key()))
    {
      row->field()->edit(each.value());
    }
  }
}

void pqDSMSteeringForm::reset()
{
  for (auto* row : this->Rows)
  {
    row->reset();
  }
}

void pqDSMSteeringForm::sent(const QStringList& names)
{
  for (const auto& name : names)
  {
    if (auto* row = this->Rows.value(name))
    {
      row->sent();
    }
  }
}

void pqDSMSteeringForm::applied(const QStringList& names)
{
  for (const auto& name : names)
  {
    if (auto* row = this->Rows.value(name))
    {
      row->applied();
    }
  }
}

void pqDSMSteeringForm::refused(const QStringList& names, const QMap<QString, QString>& reasons)
{
  for (const auto& name : names)
  {
    if (auto* row = this->Rows.value(name))
    {
      row->refused(reasons.value(name));
    }
  }
}
