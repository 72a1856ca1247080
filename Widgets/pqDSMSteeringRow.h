// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringRow_h
#define pqDSMSteeringRow_h

#include "pqDSMSteeringStatus.h"

#include <QObject>

class pqDSMSteeringField;
class pqDSMNotice;
class QFrame;
class QGridLayout;
class QLabel;
class QWidget;

/// One parameter in the form: its name, its field, its unit, and below them why a value was refused
/// or that somebody else changed it.
class pqDSMSteeringRow : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  /// Puts its widgets into two rows of the grid, from `row` on, in columns 0 to 3.
  pqDSMSteeringRow(
    const pqDSMSteeringStatus::Parameter& parameter, QGridLayout* grid, int row, QWidget* parent);

  const pqDSMSteeringStatus::Parameter& parameter() const { return this->Declared; }
  pqDSMSteeringField* field() const { return this->Field; }

  /// What the simulation has now. Shown unless a person has entered something else, or a change is
  /// on its way.
  void setKnown(const QJsonValue& value);
  void reset();

  /// Whether a person has entered something else than the simulation has.
  bool changed() const;

  ///@{
  /// A change of this parameter's value: sent, then either taken or refused with a reason.
  void sent();
  void settled();
  void refused(const QString& reason);
  ///@}

Q_SIGNALS:
  /// The field's value, or whether it counts as changed.
  void valueChanged();

private:
  void display();

  const pqDSMSteeringStatus::Parameter Declared;
  QFrame* Mark;
  QLabel* Label;
  pqDSMSteeringField* Field;
  pqDSMNotice* Note;
  QJsonValue Known;
  QJsonValue Base; ///< what the simulation had when a person began to edit
  bool Touched = false;
  int OnTheWay = 0;
  QString Reason;
};

#endif
