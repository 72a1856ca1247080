// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringRow_h
#define pqDSMSteeringRow_h

#include "pqDSMSteeringStatus.h"

#include <QObject>

class pqDSMSteeringField;
class pqDSMMessageLabel;
class QFrame;
class QGridLayout;
class QLabel;
class QWidget;

/// One parameter in the form: its name, field and unit, and below them the reason why a value was
/// refused, or a note that another viewer changed it.
class pqDSMSteeringRow : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  /// Puts its widgets into two rows of the grid, from `row` on, in columns 0 to 3.
  pqDSMSteeringRow(
    const pqDSMSteeringStatus::Parameter& parameter, QGridLayout* grid, int row, QWidget* parent);

  const pqDSMSteeringStatus::Parameter& parameter() const { return this->Declaration; }
  pqDSMSteeringField* field() const { return this->Field; }

  /// The simulation's value. The field shows it unless the user has edited the field, or a change
  /// was sent whose outcome is not known yet.
  void setSimulationValue(const QJsonValue& value);
  void reset();

  /// Whether the user has entered another value than the simulation has.
  bool changed() const;

  ///@{
  /// A change of this parameter was sent, and then applied or refused with a reason.
  void sent();
  void applied();
  void refused(const QString& reason);
  ///@}

Q_SIGNALS:
  /// The field's value, or whether it is changed.
  void valueChanged();
  /// The user wants to choose data for an array.
  void sendRequested();

private:
  void display();

  const pqDSMSteeringStatus::Parameter Declaration;
  QFrame* Mark;
  QLabel* Label;
  pqDSMSteeringField* Field;
  pqDSMMessageLabel* Note;
  QJsonValue SimulationValue;
  QJsonValue ValueBeforeEdit; ///< of the simulation
  bool Edited = false;
  int Unanswered = 0; ///< changes that were sent
  QString Refusal;
};

#endif
