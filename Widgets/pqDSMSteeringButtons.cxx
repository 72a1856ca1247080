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
  // Those with a count need more room than a third of a row.
  std::stable_partition(
    found.begin(), found.end(), [](const auto& command) { return !command.TakesCount; });
  return found;
}

// A command that makes no sense now.
bool Idle(const QString& command, const Simulation& simulation)
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
  if (wanted != this->MadeOf)
  {
    this->MadeOf = wanted;
    this->make();
  }
  for (auto* command : this->Commands)
  {
    command->setEnabled(simulation.State != "ended" && !Idle(command->name(), simulation));
  }
}

// In rows of six parts: two for a short name, three for a long one or one with a count.
void pqDSMSteeringButtons::make()
{
  qDeleteAll(this->Commands);
  this->Commands.clear();
  constexpr int across = 6;
  int place = 0;
  for (const auto& command : this->MadeOf)
  {
    auto* made = new pqDSMSteeringCommand(command, this);
    QObject::connect(
      made, &pqDSMSteeringCommand::commanded, this, &pqDSMSteeringButtons::commanded);
    this->Commands.push_back(made);
    const int width = command.TakesCount || command.Name.size() > 11 ? 3 : 2;
    if (place % across + width > across)
    {
      place += across - place % across;
    }
    this->Grid->addWidget(made, place / across, place % across, 1, width);
    place += width;
  }
}
