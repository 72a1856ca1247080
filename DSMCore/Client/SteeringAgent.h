// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Client/ChangePlan.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace dsm
{

/// Rank 0's link to the steering desk: a control channel of its own, kept up by a thread that makes
/// no MPI call. It connects when a server appears and again when one was lost; transactions wait
/// here until the time loop takes them, outcomes until the desk has acknowledged them.
///
/// The time loop's thread only takes and hands over: the channel's thread checks transactions as
/// they come and makes the plan that all ranks carry out, and it composes what is told afterwards.
class SteeringAgent
{
public:
  /// Begins to look for the server of a contact file. Returns when the first attempt has succeeded
  /// or failed, after a few seconds at most: with a server there, the first step can be steered.
  SteeringAgent(const std::string& contactPath, const std::string& program, std::uint64_t ranks);

  /// Tells what is left to tell and says goodbye; takes about half a second at most.
  ~SteeringAgent();
  SteeringAgent(const SteeringAgent&) = delete;
  SteeringAgent& operator=(const SteeringAgent&) = delete;

  /// Whether Take has something: one atomic load.
  bool HasNews() const { return this->News->load(std::memory_order_relaxed); }

  /// What came, made ready for what was declared last; null when nothing did.
  std::unique_ptr<ChangePlan> Take();

  /// Waits for news, or until the connection is lost. At most until the deadline.
  void WaitForNews(const Deadline& deadline);

  /// What viewers are to see; the first time it opens the simulation to them.
  void Declare(const Declarations& declarations, nlohmann::json values);

  /// Tells what became of a plan, once it was carried out. Never null.
  void Tell(std::unique_ptr<ChangePlan> carried);

  /// Step, time, observables: lost without harm when nobody is there.
  void TellProgress(nlohmann::json progress);

  /// Has the hosts write the "newest" or the "next" snapshot to disk. The order has arrived when
  /// this returns; it is given up, with a word in the log, when nobody takes it for a few seconds.
  /// `commanded` is the number of the transaction that wants it.
  void OrderSave(const std::string& when, std::uint64_t commanded);

  bool Connected() const;
  /// Seconds since the connection was lost; 0 while there is one.
  Seconds Disconnected() const;

private:
  class State;
  class Implementation;
  std::shared_ptr<State> Shared;
  const std::atomic<bool>* News; ///< in Shared
  std::unique_ptr<Implementation> Self;
};

}
