// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMPlot.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace
{
// Marks on the vertical axis.
constexpr std::initializer_list<double> Marks{ 0, 0.5, 1 };

QString MarkText(double value)
{
  const double size = std::abs(value);
  return QString::number(value, 'g', size == 0 || (size >= 1e-3 && size < 1e6) ? 6 : 2);
}

// For each column of pixels the lowest and the highest point: the curve of thousands of samples
// looks the same.
QPolygonF Thinned(const QPolygonF& points)
{
  QPolygonF thin;
  for (qsizetype begin = 0, end = 0; begin < points.size(); begin = end)
  {
    QPointF low = points[begin];
    QPointF high = low;
    for (; end < points.size() &&
      static_cast<int>(points[end].x()) == static_cast<int>(points[begin].x());
      ++end)
    {
      low = points[end].y() > low.y() ? points[end] : low;
      high = points[end].y() < high.y() ? points[end] : high;
    }
    thin << (low.x() <= high.x() ? low : high) << (low.x() <= high.x() ? high : low);
  }
  return thin;
}
}

pqDSMPlot::pqDSMPlot(const QString& title, const QString& unit, QWidget* parent)
  : Superclass(title, parent)
  , Unit(unit)
{
}

QString pqDSMPlot::text(double value) const
{
  return (QString::number(value, 'g', std::abs(value) >= 100 ? 5 : 3) + " " + this->Unit).trimmed();
}

QString pqDSMPlot::reading(std::optional<double> mouse) const
{
  if (!mouse)
  {
    return this->text(this->values().back());
  }
  const qsizetype sample = this->sampleAt(*mouse);
  return tr("%1: %2").arg(this->where(sample), this->text(this->values()[sample]));
}

qsizetype pqDSMPlot::sampleAt(double x) const
{
  const auto& places = this->places();
  const QRectF area = this->area();
  const double place =
    pqDSMAxis::Of(places).value(std::clamp((x - area.left()) / area.width(), 0., 1.));
  const auto after = std::lower_bound(places.begin(), places.end(), place);
  if (after == places.end())
  {
    return places.size() - 1;
  }
  const bool nearer = after != places.begin() && place - *(after - 1) < *after - place;
  return (nearer ? after - 1 : after) - places.begin();
}

// A point for each sample.
QPolygonF pqDSMPlot::points(const pqDSMAxis& up, const QRectF& area) const
{
  const auto& places = this->places();
  const pqDSMAxis across = pqDSMAxis::Of(places);
  QPolygonF points;
  points.reserve(places.size());
  for (qsizetype sample = 0; sample < places.size(); ++sample)
  {
    points << QPointF(area.left() + area.width() * across.at(places[sample]),
      area.bottom() - area.height() * std::clamp(up.at(this->values()[sample]), 0., 1.));
  }
  return points;
}

void pqDSMPlot::paintAxes(QPainter& painter, const pqDSMAxis& up, const QRectF& area) const
{
  const auto& colours = this->palette();
  const int line = this->fontMetrics().height();
  for (const double mark : Marks)
  {
    const double y = area.bottom() - mark * area.height();
    painter.setPen(QPen(colours.color(QPalette::Midlight), 1, Qt::DotLine));
    if (mark > 0 && mark < 1)
    {
      painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    }
    painter.setPen(colours.color(QPalette::WindowText));
    painter.drawText(QRectF(0, std::clamp(y - line / 2., area.top() - 3, area.bottom() - line + 3),
                       area.left() - 3, line),
      Qt::AlignRight | Qt::AlignVCenter, MarkText(up.value(mark)));
  }
  const QRectF below(area.left(), area.bottom() + 2, area.width(), line);
  const qsizetype newest = this->places().size() - 1;
  painter.drawText(below, Qt::AlignRight | Qt::AlignVCenter, this->whereShort(newest));
  if (newest > 0)
  {
    painter.drawText(below, Qt::AlignLeft | Qt::AlignVCenter, this->whereShort(0));
  }
  if (up.Logarithmic)
  {
    painter.drawText(below, Qt::AlignCenter, tr("logarithmic"));
  }
}

void pqDSMPlot::paintData(QPainter& painter, const QRectF& area, std::optional<double> mouse) const
{
  const pqDSMAxis up = this->vertical();
  this->paintAxes(painter, up, area);
  const QPolygonF points = this->points(up, area);
  QPainterPath curve;
  curve.addPolygon(Thinned(points));
  QPainterPath filled(curve);
  filled.lineTo(points.back().x(), area.bottom());
  filled.lineTo(points.front().x(), area.bottom());
  const QColor colour = this->palette().color(QPalette::Highlight);
  QColor light = colour;
  light.setAlphaF(0.25F);
  painter.fillPath(filled, light);
  painter.setPen(QPen(colour, 1.5));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(curve);
  if (!mouse && points.size() > 1)
  {
    return;
  }
  // A single sample makes no line.
  const QPointF point = points[mouse ? this->sampleAt(*mouse) : 0];
  if (mouse)
  {
    painter.setPen(QPen(this->palette().color(QPalette::Text), 1, Qt::DashLine));
    painter.drawLine(QPointF(point.x(), area.top()), QPointF(point.x(), area.bottom()));
  }
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawEllipse(point, 3, 3);
}
