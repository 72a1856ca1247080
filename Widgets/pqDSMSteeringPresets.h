// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringPresets_h
#define pqDSMSteeringPresets_h

#include "pqDSMSteeringStatus.h"

#include <QJsonObject>
#include <QToolButton>

/// The button Presets: values of a simulation's parameters that the user has saved under a name, in
/// ParaView's settings, for all runs of the simulations of that name.
class pqDSMSteeringPresets : public QToolButton
{
  Q_OBJECT
  using Superclass = QToolButton;

public:
  explicit pqDSMSteeringPresets(QWidget* parent);

  /// The simulation whose presets the menu lists. `edited`: values in fields that are not applied.
  void show(const pqDSMSteeringStatus::Simulation& simulation, const QJsonObject& edited);

Q_SIGNALS:
  /// The values of a preset, of those parameters that the simulation has.
  void chosen(const QJsonObject& values);

private:
  void fill();
  void askForName();
  void save(const QString& name);

  QString Simulation;
  QJsonObject Values; ///< without arrays, whose elements leave the memory
};

#endif
