// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Domain.h"
#include "Options.h"

#include <utility>
#include <vector>

/// The Gray-Scott model: u is fed everywhere and eaten by v, which multiplies and dies,
///
///   du/dt = Du L(u) - u v^2 + F (1 - u)
///   dv/dt = Dv L(v) + u v^2 - (F + k) v
///
/// with L the seven-point Laplacian on points one apart, and explicit steps in time. Every point's
/// arithmetic is the same whichever rank owns it, so the fields do not depend on the number of
/// ranks.
class Simulation
{
public:
  Simulation(const Domain& domain, const Options& options);

  /// Collective. One step in time.
  void Advance();

  int Step() const { return this->StepsDone; }
  double Time() const { return this->StepsDone * this->Parameters.TimeStep; }

  /// The concentrations, stored as Domain says.
  const std::vector<double>& U() const { return this->NowU; }
  const std::vector<double>& V() const { return this->NowV; }

  /// Collective. Smallest and largest v of the whole grid.
  std::pair<double, double> RangeOfV() const;

private:
  void Initialise();

  const Domain& Grid;
  const Options Parameters;
  int StepsDone = 0;
  std::vector<double> NowU;
  std::vector<double> NowV;
  std::vector<double> NextU;
  std::vector<double> NextV;
};
