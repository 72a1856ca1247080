// SPDX-License-Identifier: BSD-3-Clause
#include "Simulation.h"

#include "Check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace
{

/// Mixes the bits of a number (SplitMix64): a random number that depends on its argument alone, so
/// a point has the same one on any rank.
std::uint64_t Mix(std::uint64_t number)
{
  number += 0x9e3779b97f4a7c15u;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

/// A number in [0, 1) out of a seed and an index.
double Random(std::uint64_t seed, std::uint64_t index)
{
  return static_cast<double>(Mix(Mix(seed) + index) >> 11) * 0x1p-53;
}

constexpr double GermU = 0.25;
constexpr double GermV = 0.33;

std::vector<Germ> PlantGerms(const Index3& size, std::uint64_t seed)
{
  constexpr int count = 6;
  const double shortest = *std::min_element(size.begin(), size.end());
  std::vector<Germ> germs(count);
  for (int i = 0; i < count; ++i)
  {
    for (int axis = 0; axis < 3; ++axis)
    {
      germs[i].Centre[axis] = size[axis] * (0.25 + 0.5 * Random(seed, 4 * i + axis));
    }
    germs[i].Radius = std::max(1.5, shortest * (0.04 + 0.05 * Random(seed, 4 * i + 3)));
  }
  return germs;
}

}

Simulation::Simulation(const Domain& domain, const Options& options)
  : Grid(domain)
  , Parameters(options)
  , Set{ options.Feed, options.Kill, Periodic, {}, 0 }
  , NowU(domain.NewField(1))
  , NowV(domain.NewField(0))
  , NextU(domain.NewField(1))
  , NextV(domain.NewField(0))
{
  const Index3& size = domain.Size();
  for (int axis = 0; axis < 3; ++axis)
  {
    this->Set.DropPosition[axis] = 0.5 * (size[axis] - 1);
  }
  this->Set.DropRadius = std::max(1.5, 0.08 * *std::min_element(size.begin(), size.end()));
  this->Initialise();
}

/// Calls visit(point of the whole grid, offset here) for each point this rank owns.
template <typename Visit>
void Simulation::VisitPoints(const Visit& visit) const
{
  const Index3& start = this->Grid.Start();
  const Index3& count = this->Grid.Count();
  for (int z = 1; z <= count[2]; ++z)
  {
    for (int y = 1; y <= count[1]; ++y)
    {
      for (int x = 1; x <= count[0]; ++x)
      {
        visit(Index3{ start[0] + x - 1, start[1] + y - 1, start[2] + z - 1 },
          this->Grid.Offset(x, y, z));
      }
    }
  }
}

bool Simulation::Inside(const Index3& point, const Germ& germ) const
{
  double square = 0;
  for (int axis = 0; axis < 3; ++axis)
  {
    double distance = std::abs(point[axis] - germ.Centre[axis]);
    if (this->Set.Boundary == Periodic)
    {
      distance = std::min(distance, this->Grid.Size()[axis] - distance);
    }
    square += distance * distance;
  }
  return square <= germ.Radius * germ.Radius;
}

void Simulation::Initialise()
{
  const Index3& size = this->Grid.Size();
  const std::uint64_t seed = this->Parameters.Seed;
  const double noise = this->Parameters.Noise;
  const std::vector<Germ> germs = PlantGerms(size, seed);
  this->VisitPoints(
    [&](const Index3& point, std::size_t at)
    {
      const std::uint64_t index =
        (static_cast<std::uint64_t>(point[2]) * size[1] + point[1]) * size[0] + point[0];
      const bool inGerm = std::any_of(
        germs.begin(), germs.end(), [&](const Germ& germ) { return this->Inside(point, germ); });
      this->NowU[at] = (inGerm ? GermU : 1.0) - noise * Random(~seed, 2 * index);
      this->NowV[at] = (inGerm ? GermV : 0.0) + noise * Random(~seed, 2 * index + 1);
    });
}

void Simulation::Resume(int step, std::vector<double> u, std::vector<double> v)
{
  this->StepsDone = step;
  this->NowU = std::move(u);
  this->NowV = std::move(v);
}

void Simulation::Plant(const std::vector<Germ>& germs)
{
  this->VisitPoints(
    [&](const Index3& point, std::size_t at)
    {
      if (std::any_of(germs.begin(), germs.end(),
            [&](const Germ& germ) { return this->Inside(point, germ); }))
      {
        this->NowU[at] = GermU;
        this->NowV[at] = GermV;
      }
    });
}

void Simulation::SeedAgain()
{
  ++this->Seedings;
  this->Plant(PlantGerms(this->Grid.Size(), this->Parameters.Seed + this->Seedings));
}

void Simulation::DropReagent()
{
  Germ drop{ this->Set.DropPosition, this->Set.DropRadius };
  for (int axis = 0; axis < 3; ++axis)
  {
    drop.Centre[axis] = std::clamp(drop.Centre[axis], 0.0, this->Grid.Size()[axis] - 1.0);
  }
  this->Plant({ drop });
}

/// The halo beyond the box, which Exchange has filled with the box's other side.
void Simulation::FillOutside()
{
  if (this->Set.Boundary == Mirror)
  {
    this->Grid.VisitOutside(
      [&](std::size_t outside, std::size_t inside)
      {
        this->NowU[outside] = this->NowU[inside];
        this->NowV[outside] = this->NowV[inside];
      });
  }
  else if (this->Set.Boundary == Fixed)
  {
    this->Grid.VisitOutside(
      [&](std::size_t outside, std::size_t)
      {
        this->NowU[outside] = 1;
        this->NowV[outside] = 0;
      });
  }
}

void Simulation::Advance()
{
  this->Grid.Exchange({ this->NowU.data(), this->NowV.data() });
  this->FillOutside();

  const Index3& count = this->Grid.Count();
  const std::ptrdiff_t row = this->Grid.Stored()[0];
  const std::ptrdiff_t plane = row * this->Grid.Stored()[1];
  const double Du = this->Parameters.Du;
  const double Dv = this->Parameters.Dv;
  const double feed = this->Set.Feed;
  const double loss = this->Set.Feed + this->Set.Kill;
  const double dt = this->Parameters.TimeStep;
  for (int z = 1; z <= count[2]; ++z)
  {
    for (int y = 1; y <= count[1]; ++y)
    {
      const std::size_t at = this->Grid.Offset(1, y, z);
      const double* __restrict u = this->NowU.data() + at;
      const double* __restrict v = this->NowV.data() + at;
      double* __restrict nextU = this->NextU.data() + at;
      double* __restrict nextV = this->NextV.data() + at;
      const auto laplacian = [row, plane](const double* c)
      { return ((c[-1] + c[1]) + (c[-row] + c[row]) + (c[-plane] + c[plane])) - 6 * *c; };
      for (int x = 0; x < count[0]; ++x)
      {
        const double reaction = u[x] * v[x] * v[x];
        nextU[x] = u[x] + dt * (Du * laplacian(u + x) - reaction + feed * (1.0 - u[x]));
        nextV[x] = v[x] + dt * (Dv * laplacian(v + x) + reaction - loss * v[x]);
      }
    }
  }
  std::swap(this->NowU, this->NextU);
  std::swap(this->NowV, this->NextV);
  ++this->StepsDone;
}

std::pair<double, double> Simulation::RangeOfV() const
{
  // The smallest is found as the largest of the negated, so that one reduction does.
  double extremes[2] = { -HUGE_VAL, -HUGE_VAL };
  this->VisitPoints(
    [&](const Index3&, std::size_t at)
    {
      extremes[0] = std::max(extremes[0], -this->NowV[at]);
      extremes[1] = std::max(extremes[1], this->NowV[at]);
    });
  CheckMpi(MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_DOUBLE, MPI_MAX, this->Grid.Communicator()),
    "MPI_Allreduce");
  return { -extremes[0], extremes[1] };
}

double Simulation::ReactingVolume() const
{
  std::int64_t reacting = 0;
  this->VisitPoints(
    [&](const Index3&, std::size_t at) { reacting += this->NowV[at] > 0.2 ? 1 : 0; });
  CheckMpi(
    MPI_Allreduce(MPI_IN_PLACE, &reacting, 1, MPI_INT64_T, MPI_SUM, this->Grid.Communicator()),
    "MPI_Allreduce");
  const Index3& size = this->Grid.Size();
  return static_cast<double>(reacting) / (1.0 * size[0] * size[1] * size[2]);
}
