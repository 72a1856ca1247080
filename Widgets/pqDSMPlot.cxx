// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMPlot.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace
{
// Marks on the vertical axis.
constexpr std::initializer_list<double> Marks{ 0, 0.5, 1 };

// As wide as a mark's text gets.
const char* const WidestMark = "2.5e+07";

QString MarkText(double value)
{
  const double size = std::abs(value);
  return QString::number(value, 'g', size == 0 || (size >= 1e-3 && size < 1e6) ? 6 : 2);
}
}

pqDSMPlot::pqDSMPlot(const QString& title, const QString& unit, QWidget* parent)
  : Superclass(parent)
  , Title(title)
  , Unit(unit)
{
  this->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  this->setMouseTracking(true);
}

QSize pqDSMPlot::sizeHint() const
{
  return { 200, 6 * this->fontMetrics().height() };
}

QSize pqDSMPlot::minimumSizeHint() const
{
  return { 120, 5 * this->fontMetrics().height() };
}

QString pqDSMPlot::text(double value) const
{
  return (QString::number(value, 'g', std::abs(value) >= 100 ? 5 : 3) + " " + this->Unit).trimmed();
}

QString pqDSMPlot::reading() const
{
  const auto& values = this->values();
  if (values.empty())
  {
    return tr("no data yet");
  }
  if (!this->Mouse)
  {
    return this->text(values.back());
  }
  const qsizetype sample = this->sampleAt(*this->Mouse);
  return tr("%1: %2").arg(this->where(sample), this->text(values[sample]));
}

QRectF pqDSMPlot::area() const
{
  const int line = this->fontMetrics().height();
  const double left = this->fontMetrics().horizontalAdvance(WidestMark) + 6.5;
  return QRectF(left, line + 4.5, this->width() - left - 1, this->height() - 2 * line - 8);
}

qsizetype pqDSMPlot::sampleAt(double x) const
{
  const auto& places = this->places();
  const QRectF inner = this->area();
  const double place =
    pqDSMAxis::Of(places).value(std::clamp((x - inner.left()) / inner.width(), 0., 1.));
  const auto after = std::lower_bound(places.begin(), places.end(), place);
  if (after == places.end())
  {
    return places.size() - 1;
  }
  const bool nearer = after != places.begin() && place - *(after - 1) < *after - place;
  return (nearer ? after - 1 : after) - places.begin();
}

QPointF pqDSMPlot::at(qsizetype sample, const pqDSMAxis& up, const QRectF& inner) const
{
  return { inner.left() + inner.width() * pqDSMAxis::Of(this->places()).at(this->places()[sample]),
    inner.bottom() - inner.height() * std::clamp(up.at(this->values()[sample]), 0., 1.) };
}

// For each column of pixels the lowest and the highest sample: the curve of thousands of samples
// looks the same.
QPolygonF pqDSMPlot::points(const pqDSMAxis& up, const QRectF& inner) const
{
  const auto& places = this->places();
  const pqDSMAxis across = pqDSMAxis::Of(places);
  QPolygonF points;
  int column = -1;
  QPointF low;
  QPointF high;
  const auto finish = [&]
  {
    if (column >= 0)
    {
      points << (low.x() <= high.x() ? low : high) << (low.x() <= high.x() ? high : low);
    }
  };
  for (qsizetype index = 0; index < places.size(); ++index)
  {
    const QPointF point(inner.left() + inner.width() * across.at(places[index]),
      inner.bottom() - inner.height() * std::clamp(up.at(this->values()[index]), 0., 1.));
    if (static_cast<int>(point.x()) != column)
    {
      finish();
      column = static_cast<int>(point.x());
      low = high = point;
    }
    low = point.y() > low.y() ? point : low;
    high = point.y() < high.y() ? point : high;
  }
  finish();
  return points;
}

void pqDSMPlot::paintAxes(QPainter& painter, const pqDSMAxis& up, const QRectF& inner) const
{
  const auto& colours = this->palette();
  const int line = this->fontMetrics().height();
  for (const double mark : Marks)
  {
    const double y = inner.bottom() - mark * inner.height();
    painter.setPen(QPen(colours.color(QPalette::Midlight), 1, Qt::DotLine));
    if (mark > 0 && mark < 1)
    {
      painter.drawLine(QPointF(inner.left(), y), QPointF(inner.right(), y));
    }
    painter.setPen(colours.color(QPalette::WindowText));
    painter.drawText(
      QRectF(0, std::clamp(y - line / 2., inner.top() - 3, inner.bottom() - line + 3),
        inner.left() - 3, line),
      Qt::AlignRight | Qt::AlignVCenter, MarkText(up.value(mark)));
  }
  const QRectF below(inner.left(), inner.bottom() + 2, inner.width(), line);
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

void pqDSMPlot::paintCurve(QPainter& painter, const pqDSMAxis& up, const QRectF& inner) const
{
  const QPolygonF points = this->points(up, inner);
  QPainterPath curve;
  curve.addPolygon(points);
  QPainterPath filled(curve);
  filled.lineTo(points.back().x(), inner.bottom());
  filled.lineTo(points.front().x(), inner.bottom());
  const QColor colour = this->palette().color(QPalette::Highlight);
  QColor light = colour;
  light.setAlphaF(0.25F);
  painter.fillPath(filled, light);
  painter.setPen(QPen(colour, 1.5));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(curve);
  const bool points1 = this->places().size() == 1;
  if (this->Mouse || points1)
  {
    const QPointF point = this->at(this->Mouse ? this->sampleAt(*this->Mouse) : 0, up, inner);
    if (this->Mouse)
    {
      painter.setPen(QPen(this->palette().color(QPalette::Text), 1, Qt::DashLine));
      painter.drawLine(QPointF(point.x(), inner.top()), QPointF(point.x(), inner.bottom()));
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawEllipse(point, 3, 3);
  }
}

void pqDSMPlot::paintEvent(QPaintEvent*)
{
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const auto& colours = this->palette();
  const QRectF head(0, 0, this->width(), this->fontMetrics().height());
  painter.setPen(colours.color(QPalette::WindowText));
  const QString reading = this->reading();
  painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, reading);
  const int room = this->width() - this->fontMetrics().horizontalAdvance(reading) - 8;
  painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
    this->fontMetrics().elidedText(this->Title, Qt::ElideRight, room));
  const QRectF inner = this->area();
  painter.setPen(colours.color(QPalette::Mid));
  painter.setBrush(colours.color(QPalette::Base));
  painter.drawRect(inner);
  if (!this->values().empty())
  {
    const pqDSMAxis up = this->vertical();
    this->paintAxes(painter, up, inner);
    this->paintCurve(painter, up, inner);
  }
}

void pqDSMPlot::mouseMoveEvent(QMouseEvent* event)
{
  this->Mouse = event->pos().x();
  this->update();
}

void pqDSMPlot::leaveEvent(QEvent* event)
{
  this->Mouse.reset();
  this->update();
  Superclass::leaveEvent(event);
}
