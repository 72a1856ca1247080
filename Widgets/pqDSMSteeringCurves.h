// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringCurves_h
#define pqDSMSteeringCurves_h

#include "pqDSMSteeringStatus.h"

#include <QScrollArea>
#include <QVector>

class pqDSMSteeringCurve;
class QGridLayout;

/// The curves of a simulation's observables: two beside each other, and two rows of them in sight.
class pqDSMSteeringCurves : public QScrollArea
{
  Q_OBJECT
  using Superclass = QScrollArea;

public:
  /// Samples of an observable with each status: enough for the time between two polls.
  static constexpr int RecentSamples = 100;

  explicit pqDSMSteeringCurves(QWidget* parent);

  void clear();

  /// Adds the samples of a status that has at most `asked` of each observable. Returns how many to
  /// ask for next: all of them after a gap.
  int add(const pqDSMSteeringStatus::Simulation& simulation, qsizetype asked);

private:
  void make(const QVector<pqDSMSteeringStatus::Observable>& observables);

  QGridLayout* Grid;
  QVector<pqDSMSteeringStatus::Observable> Observables;
  QVector<pqDSMSteeringCurve*> Curves;
};

#endif
