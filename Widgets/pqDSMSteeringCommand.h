// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringCommand_h
#define pqDSMSteeringCommand_h

#include "pqDSMSteeringStatus.h"

#include <QWidget>

class QSpinBox;
class QToolButton;

/// A command's button, with a field for its count if it takes one.
class pqDSMSteeringCommand : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  pqDSMSteeringCommand(const pqDSMSteeringStatus::Command& command, QWidget* parent);

  const QString& name() const { return this->Name; }

  /// How many letters stand on the button.
  qsizetype labelLength() const;

  /// Whether all simulations have this command.
  static bool isStandard(const QString& name);

Q_SIGNALS:
  /// `count` is 0 for a command that takes none.
  void commanded(const QString& name, int count);

private:
  void press();

  const QString Name;
  QToolButton* Button;
  QSpinBox* Count = nullptr;
};

#endif
