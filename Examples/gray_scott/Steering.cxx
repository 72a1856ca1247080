// SPDX-License-Identifier: BSD-3-Clause
#include "Steering.h"

#include "Check.h"

#include <dsm.h>

#include <algorithm>
#include <utility>

namespace
{

constexpr const char* Fields[] = { "/VTKHDF/PointData/u", "/VTKHDF/PointData/v" };

/// Declarations are the same on all ranks and so are their failures.
void Check(int status)
{
  if (status != DSM_OK)
  {
    throw CommonFailure(dsm_last_error());
  }
}

void SeedAgain(void* simulation)
{
  static_cast<Simulation*>(simulation)->SeedAgain();
}

void DropReagent(void* simulation)
{
  static_cast<Simulation*>(simulation)->DropReagent();
}

void WriteNow(void* output)
{
  (*static_cast<std::function<void()>*>(output))();
}

}

Steering::Steering(Simulation& simulation, const Options& options)
  : Steered(simulation)
  , Every(options.Every)
{
  Check(dsm_open(simulation.Communicator(), nullptr, &this->Session));
  dsm_session* dsm = this->Session;
  Knobs& knobs = simulation.Settings();

  Check(dsm_double(dsm, "feed", &knobs.Feed));
  Check(dsm_range(dsm, "feed", 0, std::max(0.1, options.Feed)));
  Check(dsm_text(dsm, "feed", "F, the rate at which u is fed"));
  Check(dsm_group(dsm, "feed", "Reaction"));
  Check(dsm_double(dsm, "kill", &knobs.Kill));
  Check(dsm_range(dsm, "kill", 0, std::max(0.1, options.Kill)));
  Check(dsm_text(dsm, "kill", "k, the rate at which v is removed"));
  Check(dsm_group(dsm, "kill", "Reaction"));
  // The order is that of the enumeration Boundary.
  Check(dsm_enum(dsm, "boundary", &knobs.Boundary, "periodic|mirror|fixed"));
  Check(dsm_text(dsm, "boundary",
    "what lies beyond the box: its other side, its mirror image, or fresh u without v"));
  Check(dsm_group(dsm, "boundary", "Reaction"));

  const Index3& size = options.Size;
  Check(dsm_vector(dsm, "drop position", knobs.DropPosition.data()));
  Check(dsm_range(dsm, "drop position", 0, *std::max_element(size.begin(), size.end()) - 1));
  Check(dsm_text(dsm, "drop position", "where \"drop reagent\" lets it fall"));
  Check(dsm_meaning(dsm, "drop position", "position"));
  Check(dsm_group(dsm, "drop position", "Reagent"));
  Check(dsm_double(dsm, "drop radius", &knobs.DropRadius));
  Check(dsm_range(dsm, "drop radius", 0.5, *std::max_element(size.begin(), size.end())));
  Check(dsm_text(dsm, "drop radius", "how far a drop reaches"));
  Check(dsm_group(dsm, "drop radius", "Reagent"));
  Check(dsm_command(dsm, "drop reagent", DropReagent, &simulation));
  Check(dsm_text(dsm, "drop reagent", "put a ball of v at the drop position"));
  Check(dsm_group(dsm, "drop reagent", "Reagent"));
  Check(dsm_command(dsm, "seed again", SeedAgain, &simulation));
  Check(dsm_text(dsm, "seed again", "plant new germs into what is there"));
  Check(dsm_group(dsm, "seed again", "Reagent"));

  Check(dsm_observable(dsm, "reacting volume"));
  Check(dsm_unit(dsm, "reacting volume", "%"));
  Check(dsm_text(dsm, "reacting volume", "share of the box with v above 0.2"));
  Check(dsm_last_step(dsm, options.Steps));
  Check(dsm_output_interval(dsm, this->Every));
  // Asked for once here, they can be switched off from the first step on.
  for (const char* field : Fields)
  {
    dsm_enabled(dsm, field);
  }
}

Steering::~Steering()
{
  dsm_close(&this->Session);
}

void Steering::Step()
{
  Check(dsm_observe(this->Session, "reacting volume", 100 * this->Steered.ReactingVolume()));
  Check(dsm_step(this->Session, this->Steered.Step(), this->Steered.Time()));
}

bool Steering::Running() const
{
  return dsm_running(this->Session);
}

bool Steering::OutputDue() const
{
  return dsm_output_due(this->Session);
}

void Steering::SetOutput(std::function<void()> output)
{
  this->Output = std::move(output);
  Check(dsm_output_action(this->Session, WriteNow, &this->Output));
}

bool Steering::Wanted(const char* dataset) const
{
  return dsm_enabled(this->Session, dataset);
}
