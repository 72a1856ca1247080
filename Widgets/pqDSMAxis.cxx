// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMAxis.h"

#include <algorithm>
#include <cmath>

pqDSMAxis pqDSMAxis::Of(const QVector<double>& values)
{
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return { *low, *high };
}

pqDSMAxis pqDSMAxis::FromZero(const QVector<double>& values)
{
  const double most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  if (!(most > 0) || !std::isfinite(most))
  {
    return {};
  }
  const double noughts = std::pow(10, std::floor(std::log10(most)));
  for (const double round : { 1., 2., 5. })
  {
    if (most <= round * noughts)
    {
      return { 0, round * noughts };
    }
  }
  return { 0, 10 * noughts };
}

double pqDSMAxis::at(double value) const
{
  if (this->High <= this->Low)
  {
    return 0.5;
  }
  return this->Logarithmic ? std::log(value / this->Low) / std::log(this->High / this->Low)
                           : (value - this->Low) / (this->High - this->Low);
}

double pqDSMAxis::value(double at) const
{
  return this->Logarithmic ? this->Low * std::pow(this->High / this->Low, at)
                           : this->Low + at * (this->High - this->Low);
}
