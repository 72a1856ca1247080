// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMPlot_h
#define pqDSMPlot_h

#include "pqDSMAxis.h"
#include "pqDSMChart.h"

#include <QPolygonF>
#include <QVector>

/// A curve of one quantity, with axes, and its last value as a number; under the mouse, the value
/// there. What is shown comes from the classes derived from it.
class pqDSMPlot : public pqDSMChart
{
  Q_OBJECT
  using Superclass = pqDSMChart;

public:
  pqDSMPlot(const QString& title, const QString& unit, QWidget* parent);

protected:
  /// \name The samples, in the order of their places; as many places as values
  ///@{
  virtual const QVector<double>& places() const = 0;
  virtual const QVector<double>& values() const = 0;
  /// Where a sample is, in words: "file 12".
  virtual QString where(qsizetype sample) const = 0;
  /// The same for the ends of the axis below it.
  virtual QString whereShort(qsizetype sample) const { return this->where(sample); }
  ///@}

  /// The vertical axis, when there are samples.
  virtual pqDSMAxis vertical() const = 0;

  bool isEmpty() const override { return this->values().empty(); }
  QString reading(std::optional<double> mouse) const override;
  void paintData(QPainter& painter, const QRectF& area, std::optional<double> mouse) const override;

private:
  qsizetype sampleAt(double x) const;
  QPolygonF points(const pqDSMAxis& up, const QRectF& area) const;
  QString text(double value) const;
  void paintAxes(QPainter& painter, const pqDSMAxis& up, const QRectF& area) const;

  QString Unit;
};

#endif
