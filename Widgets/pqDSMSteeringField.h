// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringField_h
#define pqDSMSteeringField_h

#include "pqDSMSteeringStatus.h"

#include <QWidget>

/// What one parameter's value is edited with: a check box, slider, number, drop-down, line of text
/// or three numbers, as its declaration says.
///
/// It lets people enter what the simulation will refuse: the reason, which comes from there, is
/// better than a key that does nothing.
class pqDSMSteeringField : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  static pqDSMSteeringField* make(const pqDSMSteeringStatus::Parameter& parameter, QWidget* parent);

  virtual QJsonValue value() const = 0;
  void setValue(const QJsonValue& value);

Q_SIGNALS:
  /// By a person, or by edit().
  void edited();

public:
  /// As if a person had entered it.
  void edit(const QJsonValue& value);

protected:
  explicit pqDSMSteeringField(QWidget* parent);
  virtual void showValue(const QJsonValue& value) = 0;
  void noteEdit();

private:
  bool Showing = false;
};

#endif
