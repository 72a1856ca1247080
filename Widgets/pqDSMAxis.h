// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMAxis_h
#define pqDSMAxis_h

#include <QString>
#include <QVector>

/// A range of numbers along one side of a plot, linear or logarithmic.
struct pqDSMAxis
{
  double Low = 0;
  double High = 1;
  bool Logarithmic = false;

  /// The range of the values, of which there is at least one.
  static pqDSMAxis Of(const QVector<double>& values);

  /// From 0 to the values' largest, or to the next round number above it: 1, 2 or 5 and noughts.
  static pqDSMAxis FromZero(const QVector<double>& values);

  /// Where a value is: 0 is the low end, 1 the high one. In the middle where there is no range.
  double at(double value) const;

  /// The value at such a place.
  double value(double at) const;
};

#endif
