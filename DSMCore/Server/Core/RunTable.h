// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Steering/RunOrigin.h"
#include "Steering/Transaction.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dsm
{

/// What one program wrote, or one job of several (StreamBook).
struct RunDescription
{
  std::uint64_t Number = 0;
  std::string Program;
  std::string Node;                ///< the machine of the process that began it
  double Since = 0;                ///< its first file was begun: seconds since 1970
  std::optional<RunOrigin> From{}; ///< none: it began from no snapshot of another run
  /// The steered parameters that have other values now than they had in the run that it began from
  /// when that wrote the snapshot. Of programs that can be steered, both.
  std::vector<Outcome::Change> Changed{};
  bool Restored = false; ///< files that were brought back from disk
};

/// The runs of a server, with what each began from: the last 1000. Not thread safe.
class RunTable
{
public:
  bool Has(std::uint64_t number) const { return this->Known.contains(number); }

  void Enter(RunDescription run);

  /// These, those that they began from, and so on; ascending.
  std::vector<RunDescription> WithOrigins(const std::set<std::uint64_t>& numbers) const;

private:
  std::map<std::uint64_t, RunDescription> Known;
};

void Describe(Fields&, RunDescription&);

}
