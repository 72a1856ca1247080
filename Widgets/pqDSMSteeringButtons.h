// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringButtons_h
#define pqDSMSteeringButtons_h

#include "pqDSMSteeringStatus.h"

#include <QWidget>

class pqDSMSteeringCommand;
class QGridLayout;

/// The buttons above the form: the commands of all simulations (pause, resume, …), and this
/// simulation's own commands that belong to no group.
class pqDSMSteeringButtons : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  explicit pqDSMSteeringButtons(QWidget* parent);

  void show(const pqDSMSteeringStatus::Simulation& simulation);

Q_SIGNALS:
  void commanded(const QString& name, int count);

private:
  void makeButtons();

  QGridLayout* Grid;
  QVector<pqDSMSteeringStatus::Command> ShownCommands;
  QVector<pqDSMSteeringCommand*> Buttons;
};

#endif
