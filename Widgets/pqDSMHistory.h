// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMHistory_h
#define pqDSMHistory_h

#include "pqDSMPlot.h"

#include <QStringList>

/// A curve of the last values of one quantity, from 0 on.
class pqDSMHistory : public pqDSMPlot
{
  Q_OBJECT
  using Superclass = pqDSMPlot;

public:
  /// The vertical axis reaches to `top`, or as far as the values do when `top` is 0.
  pqDSMHistory(const QString& title, const QString& unit, double top, QWidget* parent);

  /// Adds a value at a place to the right of the last, which is also said in words: "file 12".
  void add(double place, double value, const QString& where);
  void clear();

protected:
  const QVector<double>& places() const override { return this->Places; }
  const QVector<double>& values() const override { return this->Values; }
  QString where(qsizetype sample) const override { return this->Where[sample]; }
  pqDSMAxis vertical() const override;

private:
  double Top;
  QVector<double> Places;
  QVector<double> Values;
  QStringList Where;
};

#endif
