// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Steering/SteeringProgram.h"

#include <deque>
#include <string>
#include <vector>

namespace dsm
{

/// The simulations that a server knows for steering, in the order in which they came. Not thread
/// safe.
class SteeringPrograms
{
public:
  /// The run that declares itself, known or new. `replaced` gets those that make way for it.
  SteeringProgram& Declare(const DeclareProgram& message, std::vector<SteeringProgram>& replaced);

  /// A program that a viewer declares, known or new.
  SteeringProgram& DeclarePolling(
    const std::string& program, Declarations offered, std::vector<SteeringProgram>& replaced);

  /// The one with that control channel; null when there is none.
  SteeringProgram* ByPeer(const std::string& peer);

  /// The one of that name; of an empty name: the one that connected last. Throws Error(Refused).
  SteeringProgram& Chosen(const std::string& name);

  /// The one that a polling program reads: first those that were declared for polling.
  /// Null when there is none.
  SteeringProgram* FindForReading(const std::string& name);

  std::deque<SteeringProgram>& All() { return this->Programs; }
  const std::deque<SteeringProgram>& All() const { return this->Programs; }

  /// Whether a transaction has no outcome yet.
  bool IsPending(std::uint64_t transaction) const;

private:
  std::vector<SteeringProgram> TakePredecessors(const std::string& program);
  std::string FreeName(const std::string& program) const;

  std::deque<SteeringProgram> Programs; ///< the one that connected last is the last
};

}
