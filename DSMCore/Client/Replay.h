// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Steering/SteeringLog.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dsm
{

/// The transactions of an earlier run, to be applied again at the same steps. Commands that only
/// affect timing (pause, resume, advance, pause at) are left out.
class Replay
{
public:
  Replay() = default; ///< nothing to replay

  /// Reads a log's lines for `program`; when there are none, those of its only program. Throws as
  /// ReadSteeringLog, and Error(Usage) when it cannot choose.
  Replay(const std::string& path, const std::string& program);

  bool Due(std::int64_t step) const
  {
    return this->Next < this->Script.size() && this->Script[this->Next].Step <= step;
  }

  /// How many were not taken yet.
  std::size_t Left() const { return this->Script.size() - this->Next; }

  /// The transactions up to a step that were not taken yet.
  std::vector<Transaction> Take(std::int64_t step);

private:
  std::vector<LoggedTransaction> Script;
  std::size_t Next = 0;
};

}
