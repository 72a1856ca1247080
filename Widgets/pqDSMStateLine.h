// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMStateLine_h
#define pqDSMStateLine_h

#include "pqDSMStatus.h"

#include <QColor>
#include <QWidget>

class QLabel;

/// What the server does now: a lamp, its name and who is connected.
class pqDSMStateLine : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;
  /// The state in words, for tests and screen readers.
  Q_PROPERTY(QString stateText READ stateText)

public:
  explicit pqDSMStateLine(QWidget* parent);

  QString stateText() const;

  void show(const pqDSMStatus& status);
  /// There is no server to speak of.
  void show(const QString& state, const QString& explanation, bool wrong);

private:
  void display(const QColor& lamp, const QString& title, const QString& details);

  QLabel* Lamp;
  QLabel* Title;
  QLabel* Details;
};

#endif
