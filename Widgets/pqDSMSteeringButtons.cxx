// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringButtons.h"

#include "pqDSMSteeringCommand.h"

#include <QGridLayout>

#include <map>

namespace
{
using Simulation = pqDSMSteeringStatus::Simulation;

QVector<pqDSMSteeringStatus::Command> UngroupedCommands(const Simulation& simulation)
{
  QVector<pqDSMSteeringStatus::Command> found;
  for (const auto& command : simulation.Commands)
  {
    if (command.Group.isEmpty() || pqDSMSteeringCommand::isStandard(command.Name))
    {
      found.push_back(command);
    }
  }
  return found;
}

// A command that would change nothing now.
bool HasNoEffect(const QString& command, const Simulation& simulation)
{
  return (command == "pause" && simulation.Paused) || (command == "resume" && !simulation.Paused);
}

}

pqDSMSteeringButtons::pqDSMSteeringButtons(QWidget* parent)
  : Superclass(parent)
  , Grid(new QGridLayout(this))
{
  this->Grid->setContentsMargins(0, 0, 0, 0);
  this->Grid->setSpacing(4);
}

void pqDSMSteeringButtons::show(const Simulation& simulation)
{
  const auto wanted = UngroupedCommands(simulation);
  if (wanted != this->ShownCommands)
  {
    this->ShownCommands = wanted;
    this->makeButtons();
  }
  for (auto* command : this->Buttons)
  {
    command->setEnabled(simulation.connected() && !HasNoEffect(command->name(), simulation));
  }
}

// First the short names, then those with a count, then the long ones: so rows are full.
void pqDSMSteeringButtons::makeButtons()
{
  qDeleteAll(this->Buttons);
  this->Buttons.clear();
  constexpr int columns = 14;
  std::multimap<int, pqDSMSteeringCommand*> byWidth;
  for (const auto& command : this->ShownCommands)
  {
    auto* made = new pqDSMSteeringCommand(command, this);
    QObject::connect(
      made, &pqDSMSteeringCommand::commanded, this, &pqDSMSteeringButtons::commanded);
    this->Buttons.push_back(made);
    constexpr int shortName = 4;
    constexpr int withCount = 7;
    constexpr int longName = 7;
    const bool isShort = made->labelLength() <= 11;
    byWidth.emplace(!isShort ? longName : command.TakesCount ? withCount : shortName, made);
  }
  int column = 0; // counted on from row to row
  for (const auto& [width, made] : byWidth)
  {
    if (column % columns + width > columns)
    {
      column += columns - column % columns;
    }
    this->Grid->addWidget(made, column / columns, column % columns, 1, width);
    column += width;
  }
}
