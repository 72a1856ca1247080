// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringCurve.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <limits>

namespace
{
// As many as the server keeps.
constexpr qsizetype Kept = 10000;

QString Short(double value)
{
  return QString::number(value, 'g', 5);
}

// An interval of numbers, as a straight axis or a logarithmic one.
struct Axis
{
  double Low;
  double High;
  bool Logarithmic = false;

  explicit Axis(const QVector<double>& values)
    : Low(*std::min_element(values.begin(), values.end()))
    , High(*std::max_element(values.begin(), values.end()))
  {
  }

  double at(double value) const
  {
    if (this->High <= this->Low)
    {
      return 0.5;
    }
    return this->Logarithmic ? std::log(value / this->Low) / std::log(this->High / this->Low)
                             : (value - this->Low) / (this->High - this->Low);
  }
};

Axis Vertical(const QVector<double>& values)
{
  Axis axis(values);
  axis.Logarithmic = axis.Low > 0 && axis.High > 1000 * axis.Low;
  return axis;
}
}

pqDSMSteeringCurve::pqDSMSteeringCurve(
  const pqDSMSteeringStatus::Observable& observable, QWidget* parent)
  : Superclass(observable.Name, observable.Unit, 0, parent)
{
  QString name = observable.Name;
  this->setObjectName("curve " + name.replace('/', '|'));
  this->setToolTip(observable.Text.isEmpty()
      ? tr("What the simulation says of itself while it runs; the newest is on the right")
      : observable.Text);
}

bool pqDSMSteeringCurve::add(const pqDSMSteeringStatus::Series& series, bool complete)
{
  if (series.Steps.empty())
  {
    return true;
  }
  const bool restarted =
    !this->Known.Steps.empty() && series.Steps.back() < this->Known.Steps.back();
  if (restarted)
  {
    this->Known = {};
  }
  const bool gap =
    !complete && (this->Known.Steps.empty() || series.Steps.front() > this->Known.Steps.back());
  if (complete)
  {
    this->Known = series;
  }
  else
  {
    const double newest = this->Known.Steps.empty() ? -std::numeric_limits<double>::infinity()
                                                    : this->Known.Steps.back();
    const auto first = std::upper_bound(series.Steps.begin(), series.Steps.end(), newest);
    const auto from = first - series.Steps.begin();
    this->Known.Steps += series.Steps.mid(from);
    this->Known.Times += series.Times.mid(from);
    this->Known.Values += series.Values.mid(from);
  }
  const auto surplus = this->Known.Steps.size() - Kept;
  if (surplus > 0)
  {
    this->Known.Steps.remove(0, surplus);
    this->Known.Times.remove(0, surplus);
    this->Known.Values.remove(0, surplus);
  }
  this->update();
  return !gap;
}

// Of each column of pixels the lowest and the highest: thousands of samples look the same so.
QPolygonF pqDSMSteeringCurve::points(const QRectF& inner) const
{
  const auto& times =
    this->Known.Times.back() > this->Known.Times.front() ? this->Known.Times : this->Known.Steps;
  const Axis across(times);
  const Axis up = Vertical(this->Known.Values);
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
  for (qsizetype index = 0; index < times.size(); ++index)
  {
    const QPointF point(inner.left() + inner.width() * across.at(times[index]),
      inner.bottom() - inner.height() * up.at(this->Known.Values[index]));
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

void pqDSMSteeringCurve::paintEvent(QPaintEvent*)
{
  QPainter painter(this);
  const auto& values = this->Known.Values;
  const QRectF inner = this->paintFrame(
    painter, values.empty() ? QString() : (Short(values.back()) + " " + this->unit()).trimmed());
  if (values.empty())
  {
    return;
  }
  this->paintCurve(painter, inner, this->points(inner));
  const Axis up = Vertical(values);
  QColor ink = this->palette().color(QPalette::Text);
  ink.setAlphaF(0.6F);
  painter.setPen(ink);
  painter.drawText(inner, Qt::AlignLeft | Qt::AlignTop,
    Short(up.High) + (up.Logarithmic ? tr(" (logarithmic)") : QString()));
  painter.drawText(inner, Qt::AlignLeft | Qt::AlignBottom, Short(up.Low));
  const bool byTime = this->Known.Times.back() > this->Known.Times.front();
  painter.drawText(inner, Qt::AlignRight | Qt::AlignBottom,
    byTime ? tr("time %1").arg(Short(this->Known.Times.back()))
           : tr("step %1").arg(Short(this->Known.Steps.back())));
}
