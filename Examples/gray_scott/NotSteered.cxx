// SPDX-License-Identifier: BSD-3-Clause
// Steering for a build without ParaView DSM: nothing changes.
#include "Steering.h"

Steering::Steering(Simulation& simulation, const Options& options)
  : Steered(simulation)
  , Every(options.Every)
{
}

Steering::~Steering() = default;

void Steering::Step() {}

bool Steering::Running() const
{
  return true;
}

bool Steering::OutputDue() const
{
  return this->Steered.Step() % this->Every == 0;
}

void Steering::SetOutput(std::function<void()>) {}

bool Steering::Wanted(const char*) const
{
  return true;
}
