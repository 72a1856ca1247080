// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringButtons_h
#define pqDSMSteeringButtons_h

#include "pqDSMSteeringStatus.h"

#include <QWidget>

class pqDSMSteeringCommand;
class QGridLayout;

/// The buttons above the form: what every simulation understands (pause, resume, …), and its own
/// commands that belong to no group.
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
  void make();

  QGridLayout* Grid;
  QVector<pqDSMSteeringStatus::Command> MadeOf;
  QVector<pqDSMSteeringCommand*> Commands;
};

#endif
