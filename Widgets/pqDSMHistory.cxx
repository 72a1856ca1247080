// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMHistory.h"

namespace
{
constexpr qsizetype Kept = 120;
}

pqDSMHistory::pqDSMHistory(const QString& title, const QString& unit, double top, QWidget* parent)
  : Superclass(title, unit, parent)
  , Top(top)
{
}

void pqDSMHistory::add(double place, double value, const QString& where)
{
  this->Places.push_back(place);
  this->Values.push_back(value);
  this->Where.push_back(where);
  if (this->Values.size() > Kept)
  {
    this->Places.removeFirst();
    this->Values.removeFirst();
    this->Where.removeFirst();
  }
  this->update();
}

void pqDSMHistory::clear()
{
  this->Places.clear();
  this->Values.clear();
  this->Where.clear();
  this->update();
}

pqDSMAxis pqDSMHistory::vertical() const
{
  return this->Top > 0 ? pqDSMAxis{ 0, this->Top } : pqDSMAxis::FromZero(this->Values);
}
