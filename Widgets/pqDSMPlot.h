// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMPlot_h
#define pqDSMPlot_h

#include "pqDSMAxis.h"

#include <QPolygonF>
#include <QVector>
#include <QWidget>

#include <optional>

/// A curve of one quantity, with axes, and its last value as a number; under the mouse, the value
/// there. What is shown comes from the classes derived from it.
class pqDSMPlot : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;
  /// The number above the curve.
  Q_PROPERTY(QString reading READ reading)

public:
  pqDSMPlot(const QString& title, const QString& unit, QWidget* parent);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  /// \name The samples, in the order of their places; as many places as values
  ///@{
  virtual const QVector<double>& places() const = 0;
  virtual const QVector<double>& values() const = 0;
  /// Where a sample is, in words: "file 12".
  virtual QString where(qsizetype sample) const = 0;
  /// Where the ends of the axis are; they stand below it.
  virtual QString whereShort(qsizetype sample) const { return this->where(sample); }
  ///@}

  /// The vertical axis, when there are samples.
  virtual pqDSMAxis vertical() const = 0;

  QString text(double value) const;

  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

private:
  QString reading() const;
  QRectF area() const;
  qsizetype sampleAt(double x) const;
  QPointF at(qsizetype sample, const pqDSMAxis& up, const QRectF& inner) const;
  QPolygonF points(const pqDSMAxis& up, const QRectF& inner) const;
  void paintAxes(QPainter& painter, const pqDSMAxis& up, const QRectF& inner) const;
  void paintCurve(QPainter& painter, const pqDSMAxis& up, const QRectF& inner) const;

  QString Title;
  QString Unit;
  std::optional<double> Mouse; ///< where it is, across
};

#endif
