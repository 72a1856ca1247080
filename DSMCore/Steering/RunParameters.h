// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Steering/Transaction.h"
#include "Steering/Value.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace dsm
{

/// Which values the parameters of simulations have and had, by their runs, also when those are
/// over: so that of a run that began from a file of another can be said what is different in it.
///
///     run 1:  feed 0.03 ----- a file ----- feed 0.035 ---------->
///                                '- run 2:  feed 0.04 ---------->   "feed": 0.03 then, 0.04 now
///
/// Of the last 64 simulations, and of each the last 4096 changes. Not thread safe.
class RunParameters
{
public:
  /// Values that a simulation has from a time on (seconds since 1970): all of them, or those that
  /// have changed.
  void Enter(const std::string& instance, const NamedValues& values, double when);

  /// Which run that simulation writes. It may have none yet.
  void SetRun(const std::string& instance, std::uint64_t run);

  /// The parameters that both runs have, and that have another value in one of them now than the
  /// other had at a time. Empty also where one of them has none.
  std::vector<Outcome::Change> Changed(std::uint64_t run, std::uint64_t origin, double when) const;

private:
  struct Replaced
  {
    double When = 0; ///< until then it was so
    std::string Name;
    PlainValue Value;
  };

  struct Simulation
  {
    std::string Instance;
    std::uint64_t Run = 0;
    double Since = 0;
    NamedValues Now;
    std::deque<Replaced> Before; ///< oldest first

    NamedValues At(double when) const;
  };

  std::deque<Simulation> Known; ///< in the order in which they came
};

}
