// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringForm.h"

#include "pqDSMSteeringCommand.h"
#include "pqDSMSteeringField.h"
#include "pqDSMSteeringRow.h"

#include <pqProxyWidget.h>

#include <QCheckBox>
#include <QGridLayout>
#include <QJsonArray>

namespace
{
using Status = pqDSMSteeringStatus;
using Kind = pqDSMSteeringShape::Kind;

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
      return QObject::tr("Arrow in the view");
    case Kind::Plane:
      return QObject::tr("Plane in the view");
    case Kind::Box:
      return QObject::tr("Box in the view");
    case Kind::Handle:
      break;
  }
  return QObject::tr("Handle in the view");
}

// What has no group comes first, the others as they were declared.
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
    if (parameter.Type == "vector" && !parameter.Meaning.isEmpty())
    {
      const bool single = parameter.Meaning == "position" || parameter.Meaning == "direction";
      single ? this->addShapes({ row }) : vectors.push_back(row);
    }
  }
  this->addShapes(vectors);
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

// Two of a plane or box, when the group has both; else the one is a place or a direction.
void pqDSMSteeringForm::addShapes(const QVector<pqDSMSteeringRow*>& rows)
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
      this->addShape(kind, { byMeaning.take(first), byMeaning.take(second) });
    }
  };
  addPair(Kind::Plane, "plane origin", "plane normal");
  addPair(Kind::Box, "box minimum", "box maximum");
  for (auto* row : byMeaning)
  {
    const auto& meaning = row->parameter().Meaning;
    const bool isDirection = meaning == "direction" || meaning == "plane normal";
    this->addShape(isDirection ? Kind::Arrow : Kind::Handle, { row });
  }
}

void pqDSMSteeringForm::addShape(Kind kind, const QVector<pqDSMSteeringRow*>& rows)
{
  Shape shape{ new pqDSMSteeringShape(kind, this), new QCheckBox(ShowText(kind), this), rows };
  shape.Show->setObjectName("show " + rows.front()->parameter().Name);
  shape.Show->setToolTip(tr("Move it in the 3-D view with the mouse; Apply then sends it"));
  this->Grid->addWidget(shape.Show, this->Grid->rowCount(), 2, 1, 2);
  this->Shapes.push_back(shape);
  QObject::connect(shape.Show, &QCheckBox::toggled, this, &pqDSMSteeringForm::showShapes);
  for (auto* row : rows)
  {
    QObject::connect(
      row, &pqDSMSteeringRow::valueChanged, this, [this, shape] { this->fill(shape); });
  }
  QObject::connect(shape.Widget, &pqDSMSteeringShape::moved, this,
    [this, shape]
    {
      // The shape leads: it must not follow one of its fields before the other is filled.
      this->Moving = true;
      const auto vectors = shape.Widget->vectors();
      for (qsizetype index = 0; index < shape.Rows.size(); ++index)
      {
        const auto value = AsJson(vectors[index]);
        if (!Status::same(shape.Rows[index]->field()->value(), value))
        {
          shape.Rows[index]->field()->edit(value);
        }
      }
      this->Moving = false;
    });
}

void pqDSMSteeringForm::fill(const Shape& shape)
{
  if (this->Moving)
  {
    return;
  }
  pqDSMSteeringShape::Vectors vectors;
  for (const auto* row : shape.Rows)
  {
    vectors.push_back(AsVector(row->field()->value()));
  }
  shape.Widget->setVectors(vectors);
}

// As ParaView's own: there while their fields are.
void pqDSMSteeringForm::showShapes()
{
  for (const auto& shape : this->Shapes)
  {
    this->fill(shape);
    shape.Widget->setVisible(this->isVisible() && this->isEnabled() && shape.Show->isChecked());
  }
}

void pqDSMSteeringForm::showEvent(QShowEvent* event)
{
  Superclass::showEvent(event);
  this->showShapes();
}

void pqDSMSteeringForm::hideEvent(QHideEvent* event)
{
  Superclass::hideEvent(event);
  this->showShapes();
}

void pqDSMSteeringForm::setValues(const QJsonObject& values)
{
  for (auto each = this->Rows.begin(); each != this->Rows.end(); ++each)
  {
    // One that was declared this moment has its value with the next message.
    if (values.contains(each.key()))
    {
      each.value()->setKnown(values[each.key()]);
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

void pqDSMSteeringForm::settled(const QStringList& names)
{
  for (const auto& name : names)
  {
    if (auto* row = this->Rows.value(name))
    {
      row->settled();
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
