// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSteeringCurve_h
#define pqDSMSteeringCurve_h

#include "pqDSMPlot.h"
#include "pqDSMSteeringStatus.h"

/// The curve of an observable over the simulation's time, or over its steps if the time is always
/// the same. The vertical axis is the values' range; it is logarithmic if the largest value is more
/// than a thousand times the smallest.
class pqDSMSteeringCurve : public pqDSMPlot
{
  Q_OBJECT
  using Superclass = pqDSMPlot;
  /// For tests.
  Q_PROPERTY(int samples READ samples)
  Q_PROPERTY(double last READ last)

public:
  pqDSMSteeringCurve(const pqDSMSteeringStatus::Observable& observable, QWidget* parent);

  int samples() const { return static_cast<int>(this->Samples.Steps.size()); }
  double last() const { return this->Samples.Values.empty() ? 0 : this->Samples.Values.back(); }

  /// Adds the samples that are newer than the ones it has. `complete`: the series has all samples
  /// of the server. Returns false if samples may be missing before the series.
  bool add(const pqDSMSteeringStatus::Series& series, bool complete);

protected:
  const QVector<double>& places() const override;
  const QVector<double>& values() const override { return this->Samples.Values; }
  QString where(qsizetype sample) const override;
  QString whereShort(qsizetype sample) const override;
  pqDSMAxis vertical() const override;

private:
  bool byTime() const;

  pqDSMSteeringStatus::Series Samples;
};

#endif
