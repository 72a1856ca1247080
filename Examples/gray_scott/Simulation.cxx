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

/// Distance of two points along a periodic axis.
double Distance(double a, double b, double size)
{
  const double distance = std::abs(a - b);
  return std::min(distance, size - distance);
}

/// A ball in which the reaction begins.
struct Germ
{
  std::array<double, 3> Centre;
  double Radius;
};

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
  , NowU(domain.NewField(1))
  , NowV(domain.NewField(0))
  , NextU(domain.NewField(1))
  , NextV(domain.NewField(0))
{
  this->Initialise();
}

void Simulation::Initialise()
{
  const Index3& size = this->Grid.Size();
  const Index3& start = this->Grid.Start();
  const Index3& count = this->Grid.Count();
  const std::uint64_t seed = this->Parameters.Seed;
  const std::vector<Germ> germs = PlantGerms(size, seed);
  for (int z = 1; z <= count[2]; ++z)
  {
    for (int y = 1; y <= count[1]; ++y)
    {
      for (int x = 1; x <= count[0]; ++x)
      {
        const Index3 point{ start[0] + x - 1, start[1] + y - 1, start[2] + z - 1 };
        const std::uint64_t index =
          (static_cast<std::uint64_t>(point[2]) * size[1] + point[1]) * size[0] + point[0];
        const bool inGerm = std::any_of(germs.begin(), germs.end(),
          [&](const Germ& germ)
          {
            double square = 0;
            for (int axis = 0; axis < 3; ++axis)
            {
              const double distance = Distance(point[axis], germ.Centre[axis], size[axis]);
              square += distance * distance;
            }
            return square <= germ.Radius * germ.Radius;
          });
        const double noise = this->Parameters.Noise;
        const std::size_t at = this->Grid.Offset(x, y, z);
        this->NowU[at] = (inGerm ? 0.25 : 1.0) - noise * Random(~seed, 2 * index);
        this->NowV[at] = (inGerm ? 0.33 : 0.0) + noise * Random(~seed, 2 * index + 1);
      }
    }
  }
}

void Simulation::Advance()
{
  this->Grid.Exchange({ this->NowU.data(), this->NowV.data() });

  const Index3& count = this->Grid.Count();
  const std::ptrdiff_t row = this->Grid.Stored()[0];
  const std::ptrdiff_t plane = row * this->Grid.Stored()[1];
  const double Du = this->Parameters.Du;
  const double Dv = this->Parameters.Dv;
  const double feed = this->Parameters.Feed;
  const double loss = this->Parameters.Feed + this->Parameters.Kill;
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
  const Index3& count = this->Grid.Count();
  // The smallest is found as the largest of the negated, so that one reduction does.
  double extremes[2] = { -HUGE_VAL, -HUGE_VAL };
  for (int z = 1; z <= count[2]; ++z)
  {
    for (int y = 1; y <= count[1]; ++y)
    {
      for (int x = 1; x <= count[0]; ++x)
      {
        const double value = this->NowV[this->Grid.Offset(x, y, z)];
        extremes[0] = std::max(extremes[0], -value);
        extremes[1] = std::max(extremes[1], value);
      }
    }
  }
  CheckMpi(MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_DOUBLE, MPI_MAX, this->Grid.Communicator()),
    "MPI_Allreduce");
  return { -extremes[0], extremes[1] };
}
