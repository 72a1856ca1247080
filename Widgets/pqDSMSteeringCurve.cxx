// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringCurve.h"

#include "pqDSMText.h"

#include <algorithm>
#include <limits>

namespace
{
// As many as the server keeps.
constexpr qsizetype Kept = 10000;
}

pqDSMSteeringCurve::pqDSMSteeringCurve(
  const pqDSMSteeringStatus::Observable& observable, QWidget* parent)
  : Superclass(observable.Name, observable.Unit, parent)
{
  QString name = observable.Name;
  this->setObjectName("curve " + name.replace('/', '|'));
  this->setToolTip(pqDSMText::tip(observable.Text.isEmpty()
      ? tr("Values reported by the simulation (newest at right)")
      : observable.Text));
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

bool pqDSMSteeringCurve::byTime() const
{
  const auto& times = this->Samples.Times;
  return !times.empty() && times.back() > times.front();
}

const QVector<double>& pqDSMSteeringCurve::places() const
{
  return this->byTime() ? this->Samples.Times : this->Samples.Steps;
}

QString pqDSMSteeringCurve::whereShort(qsizetype sample) const
{
  return this->byTime() ? tr("time %1").arg(this->Samples.Times[sample], 0, 'g', 5)
                        : tr("step %1").arg(this->Samples.Steps[sample], 0, 'g', 10);
}

QString pqDSMSteeringCurve::where(qsizetype sample) const
{
  return this->byTime()
    ? tr("%1, step %2").arg(this->whereShort(sample)).arg(this->Samples.Steps[sample], 0, 'g', 10)
    : this->whereShort(sample);
}

pqDSMAxis pqDSMSteeringCurve::vertical() const
{
  pqDSMAxis axis = pqDSMAxis::Of(this->Samples.Values);
  axis.Logarithmic = axis.Low > 0 && axis.High > 1000 * axis.Low;
  return axis;
}
