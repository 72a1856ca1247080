// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMPlot_h
#define pqDSMPlot_h

#include <QPolygonF>
#include <QVector>
#include <QWidget>

/// A curve of the last values of one quantity, with the last one as a number.
class pqDSMPlot : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  /// The vertical axis reaches from 0 to `top`, or to the largest value when `top` is 0.
  pqDSMPlot(const QString& title, const QString& unit, double top, QWidget* parent);

  void add(double value);
  void clear();

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  void paintEvent(QPaintEvent* event) override;
  /// Paints title, last value and frame. Returns the area for the curve.
  QRectF paintFrame(QPainter& painter, const QString& last) const;
  void paintCurve(QPainter& painter, const QRectF& inner, const QPolygonF& points) const;

  const QString& unit() const { return this->Unit; }

private:
  QString Title;
  QString Unit;
  double Top;
  QVector<double> Values;
};

#endif
