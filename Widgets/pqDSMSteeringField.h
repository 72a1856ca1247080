// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringField_h
#define pqDSMSteeringField_h

#include "pqDSMSteeringStatus.h"

#include <QWidget>

/// The form field of one parameter: a check box, slider, number, combo box, line of text, three
/// numbers, or a button for an array, by the parameter's declaration.
///
/// A value that the simulation will refuse can be entered: the simulation's reason tells the user
/// more than a key that does nothing.
class pqDSMSteeringField : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  static pqDSMSteeringField* make(const pqDSMSteeringStatus::Parameter& parameter, QWidget* parent);

  virtual QJsonValue value() const = 0;
  void setValue(const QJsonValue& value);

Q_SIGNALS:
  /// By the user, or by edit().
  void edited();
  /// The user wants to choose data for an array.
  void sendRequested();

public:
  /// As if the user had entered it.
  void edit(const QJsonValue& value);

protected:
  explicit pqDSMSteeringField(QWidget* parent);
  virtual void showValue(const QJsonValue& value) = 0;
  void emitEdited();

private:
  bool SettingValue = false;
};

#endif
