// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>

namespace dsm::simulation
{

/// Errors that the simulation plants in its own wiring, to prove that it would find such errors.
enum class Mutant
{
  None,
  LostWakeup,     ///< an answer to a request that waited is not sent
  DoubleGrant,    ///< a slot that holds a snapshot is granted again
  LostLease,      ///< a peer that connects again has lost its leases
  DoubleObserver, ///< an observer of snapshots is subscribed twice
  StaleName,      ///< a name opens the snapshot before the newest
  LostMapping     ///< a peer that was silent has lost what its process maps
};

struct NamedMutant
{
  const char* Name;
  Mutant What;
};

constexpr std::array<NamedMutant, 6> Mutants{ { { "lost-wakeup", Mutant::LostWakeup },
  { "double-grant", Mutant::DoubleGrant }, { "lost-lease", Mutant::LostLease },
  { "double-observer", Mutant::DoubleObserver }, { "stale-name", Mutant::StaleName },
  { "lost-mapping", Mutant::LostMapping } } };

/// None if there is no mutant of that name.
inline std::optional<Mutant> MutantFromName(const std::string& name)
{
  for (const NamedMutant& one : Mutants)
  {
    if (name == one.Name)
    {
      return one.What;
    }
  }
  return std::nullopt;
}

}
