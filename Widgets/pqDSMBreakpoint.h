// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMBreakpoint_h
#define pqDSMBreakpoint_h

#include <QMap>
#include <QString>
#include <QWidget>

class pqPipelineSource;
class QCheckBox;
class QComboBox;
class QLineEdit;

/// The row "Pause when": a condition on the data that are shown, or on what the simulation reports.
/// When it holds, it asks for a pause, once.
class pqDSMBreakpoint : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  explicit pqDSMBreakpoint(QWidget* parent);

  /// Takes the arrays of the data that a reader shows now; null: there are none.
  void takeData(pqPipelineSource* reader);
  /// Takes values by their names, such as the newest ones of the simulation's observables.
  void take(const QMap<QString, double>& values);

Q_SIGNALS:
  /// The condition holds: what was met, in words.
  void reached(const QString& what);

private:
  QCheckBox* Active;
  QComboBox* Quantity;
  QComboBox* Comparison;
  QLineEdit* Limit;
};

#endif
