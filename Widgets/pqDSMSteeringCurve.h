// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringCurve_h
#define pqDSMSteeringCurve_h

#include "pqDSMPlot.h"
#include "pqDSMSteeringStatus.h"

/// An observable over the simulation's time (or its steps, where time stands still). The vertical
/// axis is the values' range, logarithmic where they span more than a thousandfold.
class pqDSMSteeringCurve : public pqDSMPlot
{
  Q_OBJECT
  using Superclass = pqDSMPlot;
  /// For tests.
  Q_PROPERTY(int samples READ samples)
  Q_PROPERTY(double last READ last)

public:
  pqDSMSteeringCurve(const pqDSMSteeringStatus::Observable& observable, QWidget* parent);

  int samples() const { return static_cast<int>(this->Known.Steps.size()); }
  double last() const { return this->Known.Values.empty() ? 0 : this->Known.Values.back(); }

  /// Takes what is newer than it has. False when there may be a gap before it.
  bool add(const pqDSMSteeringStatus::Series& series, bool complete);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  QPolygonF points(const QRectF& inner) const;

  pqDSMSteeringStatus::Series Known;
};

#endif
