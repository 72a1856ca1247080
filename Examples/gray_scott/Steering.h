// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Options.h"
#include "Simulation.h"

#include <functional>

struct dsm_session;

/// What may be changed while the simulation runs, what it can be told to do, and what it reports.
///
/// This is all the code that knows of ParaView DSM; NotSteered.cxx stands in for it where dsm.h is
/// not there. When nobody steers, the run is the same bit for bit as without it.
class Steering
{
public:
  /// Collective. Finds the viewer by the environment (DSM_CONTACT, which dsm-run sets).
  Steering(Simulation& simulation, const Options& options);
  ~Steering();
  Steering(const Steering&) = delete;
  Steering& operator=(const Steering&) = delete;

  /// Collective, once per time step: takes what was changed, waits while paused.
  void Step();

  /// False once somebody wants the program to end.
  bool Running() const;

  /// Whether this step is to be written.
  bool OutputDue() const;

  /// How to write this step: for somebody who wants it while the simulation is paused. Lives as
  /// long as this.
  void SetOutput(std::function<void()> output);

  /// Whether a dataset is to be written.
  bool Wanted(const char* dataset) const;

private:
  Simulation& Steered;
  const int Every;
  std::function<void()> Output;
  dsm_session* Session = nullptr;
};
