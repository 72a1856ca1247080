// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMPlot.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace
{
constexpr qsizetype Kept = 120;

QString Short(double value)
{
  return QString::number(value, 'g', value >= 100 ? 4 : 3);
}
}

pqDSMPlot::pqDSMPlot(const QString& title, const QString& unit, double top, QWidget* parent)
  : Superclass(parent)
  , Title(title)
  , Unit(unit)
  , Top(top)
{
  this->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void pqDSMPlot::add(double value)
{
  this->Values.push_back(value);
  if (this->Values.size() > Kept)
  {
    this->Values.removeFirst();
  }
  this->update();
}

void pqDSMPlot::clear()
{
  this->Values.clear();
  this->update();
}

QSize pqDSMPlot::sizeHint() const
{
  return { 200, 5 * this->fontMetrics().height() };
}

QSize pqDSMPlot::minimumSizeHint() const
{
  return { 120, 4 * this->fontMetrics().height() };
}

QRectF pqDSMPlot::paintFrame(QPainter& painter, const QString& last) const
{
  painter.setRenderHint(QPainter::Antialiasing);
  const auto& colours = this->palette();
  const int line = this->fontMetrics().height();
  const QRectF head(0, 0, this->width(), line);
  painter.setPen(colours.color(QPalette::WindowText));
  painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, this->Title);
  painter.drawText(
    head, Qt::AlignRight | Qt::AlignVCenter, last.isEmpty() ? tr("no data yet") : last);
  const QRectF area(0.5, line + 2.5, this->width() - 1, this->height() - line - 4);
  painter.setPen(colours.color(QPalette::Mid));
  painter.setBrush(colours.color(QPalette::Base));
  painter.drawRect(area);
  return area.adjusted(3, 3, -3, -3);
}

void pqDSMPlot::paintCurve(QPainter& painter, const QRectF& inner, const QPolygonF& points) const
{
  QPainterPath curve;
  curve.addPolygon(points);
  QPainterPath filled(curve);
  filled.lineTo(points.back().x(), inner.bottom());
  filled.lineTo(points.front().x(), inner.bottom());
  QColor colour = this->palette().color(QPalette::Highlight);
  painter.setPen(QPen(colour, 1.5));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(curve);
  colour.setAlphaF(0.25F);
  painter.fillPath(filled, colour);
}

void pqDSMPlot::paintEvent(QPaintEvent*)
{
  QPainter painter(this);
  const QRectF inner = this->paintFrame(
    painter, this->Values.empty() ? QString() : Short(this->Values.back()) + " " + this->Unit);
  if (this->Values.empty())
  {
    return;
  }
  double top =
    this->Top > 0 ? this->Top : *std::max_element(this->Values.begin(), this->Values.end());
  top = top > 0 ? top : 1;
  const double step = inner.width() / (Kept - 1);
  QPolygonF points;
  for (qsizetype index = 0; index < this->Values.size(); ++index)
  {
    points << QPointF(inner.right() - step * static_cast<double>(this->Values.size() - 1 - index),
      inner.bottom() - inner.height() * std::min(1.0, this->Values[index] / top));
  }
  this->paintCurve(painter, inner, points);
  if (this->Top <= 0)
  {
    painter.setPen(this->palette().color(QPalette::Text));
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignTop, Short(top) + " " + this->Unit);
  }
}
