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

// A range of numbers on a linear or a logarithmic axis.
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

  /// Where a value is: 0 is the low end, 1 the high one.
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
    !this->Samples.Steps.empty() && series.Steps.back() < this->Samples.Steps.back();
  if (restarted)
  {
    this->Samples = {};
  }
  const bool gap =
    !complete && (this->Samples.Steps.empty() || series.Steps.front() > this->Samples.Steps.back());
  if (complete)
  {
    this->Samples = series;
  }
  else
  {
    const double newest = this->Samples.Steps.empty() ? -std::numeric_limits<double>::infinity()
                                                      : this->Samples.Steps.back();
    const auto first = std::upper_bound(series.Steps.begin(), series.Steps.end(), newest);
    const auto from = first - series.Steps.begin();
    this->Samples.Steps += series.Steps.mid(from);
    this->Samples.Times += series.Times.mid(from);
    this->Samples.Values += series.Values.mid(from);
  }
  const auto surplus = this->Samples.Steps.size() - Kept;
  if (surplus > 0)
  {
    this->Samples.Steps.remove(0, surplus);
    this->Samples.Times.remove(0, surplus);
    this->Samples.Values.remove(0, surplus);
  }
  this->update();
  return !gap;
}

// For each column of pixels the lowest and the highest sample: the curve of thousands of samples
// looks the same.
QPolygonF pqDSMSteeringCurve::points(const QRectF& inner) const
{
  const auto& times = this->Samples.Times.back() > this->Samples.Times.front()
    ? this->Samples.Times
    : this->Samples.Steps;
  const Axis across(times);
  const Axis up = Vertical(this->Samples.Values);
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
      inner.bottom() - inner.height() * up.at(this->Samples.Values[index]));
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
  const auto& values = this->Samples.Values;
  const QRectF inner = this->paintFrame(
    painter, values.empty() ? QString() : (Short(values.back()) + " " + this->unit()).trimmed());
  if (values.empty())
  {
    return;
  }
  this->paintCurve(painter, inner, this->points(inner));
  const Axis up = Vertical(values);
  QColor colour = this->palette().color(QPalette::Text);
  colour.setAlphaF(0.6F);
  painter.setPen(colour);
  painter.drawText(inner, Qt::AlignLeft | Qt::AlignTop,
    Short(up.High) + (up.Logarithmic ? tr(" (logarithmic)") : QString()));
  painter.drawText(inner, Qt::AlignLeft | Qt::AlignBottom, Short(up.Low));
  const bool byTime = this->Samples.Times.back() > this->Samples.Times.front();
  painter.drawText(inner, Qt::AlignRight | Qt::AlignBottom,
    byTime ? tr("time %1").arg(Short(this->Samples.Times.back()))
           : tr("step %1").arg(Short(this->Samples.Steps.back())));
}
