// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringButtons.h"

#include "pqDSMSteeringCommand.h"

#include <QGridLayout>

#include <algorithm>

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
  // Those with a count come last: they need more than a third of a row.
  std::stable_partition(
    found.begin(), found.end(), [](const auto& command) { return !command.TakesCount; });
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
    command->setEnabled(simulation.State != "ended" && !HasNoEffect(command->name(), simulation));
  }
}

// Rows of six columns: two for a short name, three for a long one or a command with a count.
void pqDSMSteeringButtons::makeButtons()
{
  qDeleteAll(this->Buttons);
  this->Buttons.clear();
  constexpr int columns = 6;
  int column = 0; // counted on from row to row
  for (const auto& command : this->ShownCommands)
  {
    auto* made = new pqDSMSteeringCommand(command, this);
    QObject::connect(
      made, &pqDSMSteeringCommand::commanded, this, &pqDSMSteeringButtons::commanded);
    this->Buttons.push_back(made);
    const int width = command.TakesCount || made->labelLength() > 11 ? 3 : 2;
    if (column % columns + width > columns)
    {
      column += columns - column % columns;
    }
    this->Grid->addWidget(made, column / columns, column % columns, 1, width);
    column += width;
  }
}
