// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMPlot_h
#define pqDSMPlot_h

#include <QPolygonF>
#include <QVector>
#include <QWidget>

/// One quantity as it was: a curve over its last values, and the last of them in words.
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
  /// Title, last value and frame; returns where a curve may be.
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
