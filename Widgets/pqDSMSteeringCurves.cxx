// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringCurves.h"

#include "pqDSMSteeringCurve.h"

#include <QGridLayout>

#include <algorithm>

namespace
{
// After a gap, once.
constexpr int AllSamples = 10000;
}

pqDSMSteeringCurves::pqDSMSteeringCurves(QWidget* parent)
  : Superclass(parent)
{
  auto* inside = new QWidget(this);
  this->setFrameShape(QFrame::NoFrame);
  this->setWidgetResizable(true);
  this->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  this->setWidget(inside);
  inside->setAutoFillBackground(false);
  this->viewport()->setAutoFillBackground(false);
  this->Grid = new QGridLayout(inside);
  this->Grid->setContentsMargins(0, 2, 0, 0);
  this->clear();
}

void pqDSMSteeringCurves::clear()
{
  this->make({});
}

void pqDSMSteeringCurves::make(const QVector<pqDSMSteeringStatus::Observable>& observables)
{
  qDeleteAll(this->Curves);
  this->Curves.clear();
  this->Observables = observables;
  for (const auto& observable : observables)
  {
    this->Curves.push_back(new pqDSMSteeringCurve(observable, this->widget()));
  }
  constexpr int columns = 2;
  constexpr int rowsInSight = 2;
  constexpr int mostLines = 14; // of text, as high as a curve
  const auto count = static_cast<int>(this->Curves.size());
  for (int index = 0; index < count; ++index)
  {
    const bool alone = index == count - 1 && index % columns == 0;
    this->Grid->addWidget(
      this->Curves[index], index / columns, index % columns, 1, alone ? columns : 1);
  }
  const int rows = (count + columns - 1) / columns;
  const int least = count > 0 ? this->Curves.front()->minimumSizeHint().height() : 0;
  this->setMinimumHeight(std::min(rows, rowsInSight) * (least + this->Grid->verticalSpacing()) + 4);
  this->setMaximumHeight(rows * mostLines * this->fontMetrics().height());
  this->setVisible(count > 0);
}

int pqDSMSteeringCurves::add(const pqDSMSteeringStatus::Simulation& simulation, qsizetype asked)
{
  if (simulation.Observables != this->Observables)
  {
    this->make(simulation.Observables);
  }
  bool complete = true;
  for (qsizetype index = 0; index < this->Curves.size(); ++index)
  {
    const auto series = simulation.Observed.value(simulation.Observables[index].Name);
    const bool whole = asked >= AllSamples || series.Steps.size() < asked;
    complete = this->Curves[index]->add(series, whole) && complete;
  }
  return complete ? RecentSamples : AllSamples;
}
