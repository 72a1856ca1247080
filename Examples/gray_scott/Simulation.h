// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Domain.h"
#include "Options.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

/// What lies beyond the box: its other side, its mirror image, or fresh u without v.
enum Boundary
{
  Periodic,
  Mirror,
  Fixed
};

/// What may be changed between two steps, on all ranks alike.
struct Knobs
{
  double Feed;
  double Kill;
  int Boundary = Periodic;
  std::array<double, 3> DropPosition; ///< in points; the middle of the box to begin with
  double DropRadius;
};

/// A ball in which u reacts to v.
struct Germ
{
  std::array<double, 3> Centre;
  double Radius;
};

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

  Knobs& Settings() { return this->Set; }
  MPI_Comm Communicator() const { return this->Grid.Communicator(); }

  /// Goes on from step `step` with these fields, stored as Domain says, whatever their halo.
  void Resume(int step, std::vector<double> u, std::vector<double> v);

  /// Plants new germs, other ones each time, into what is there.
  void SeedAgain();

  /// Plants one germ at the drop position; a position beyond the box counts as its edge.
  void DropReagent();

  /// Collective. One step in time.
  void Advance();

  int Step() const { return this->StepsDone; }
  double Time() const { return this->StepsDone * this->Parameters.TimeStep; }

  /// The concentrations, stored as Domain says.
  const std::vector<double>& U() const { return this->NowU; }
  const std::vector<double>& V() const { return this->NowV; }

  /// Collective. Smallest and largest v of the whole grid.
  std::pair<double, double> RangeOfV() const;

  /// Collective. Share of the grid's points where v is above 0.2.
  double ReactingVolume() const;

private:
  void Initialise();
  void FillOutside();
  bool Inside(const Index3& point, const Germ& germ) const;
  void Plant(const std::vector<Germ>& germs);
  template <typename Visit>
  void VisitPoints(const Visit& visit) const;

  const Domain& Grid;
  const Options Parameters;
  Knobs Set;
  std::uint64_t Seedings = 0;
  int StepsDone = 0;
  std::vector<double> NowU;
  std::vector<double> NowV;
  std::vector<double> NextU;
  std::vector<double> NextV;
};
