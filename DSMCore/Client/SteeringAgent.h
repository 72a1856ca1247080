// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Client/ChangePlan.h"
#include "Protocol/Descriptions.h"
#include "Steering/SteeringMessages.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace dsm
{

class SteeringLink;

/// Rank 0's part in steering, as the time loop calls it. A thread that makes no MPI call keeps a
/// control channel connected (SteeringLink); messages that wait, in either direction, are in
/// SteeringQueues.
///
/// The time loop's thread only takes plans and submits results: the channel's thread checks
/// transactions as they arrive, makes the plan that all ranks apply, and encodes the outcomes.
class SteeringAgent
{
public:
  /// Begins to look for the server of a contact file. Returns when the first attempt has succeeded
  /// or failed, after a few seconds at most: with a server there, the first step can be steered.
  /// `process` is this one, as it introduces itself.
  SteeringAgent(const std::string& contactPath, const PeerDescription& process);

  /// Sends what has not been sent yet and disconnects; takes half a second at most.
  ~SteeringAgent();
  SteeringAgent(const SteeringAgent&) = delete;
  SteeringAgent& operator=(const SteeringAgent&) = delete;

  /// Whether Take has something: one atomic load.
  bool HasNews() const { return this->News.load(std::memory_order_relaxed); }

  /// The transactions that have arrived, checked against the last declaration; null when there are
  /// none.
  std::unique_ptr<ChangePlan> Take();

  /// Waits for news, or until the connection is lost. At most until the deadline.
  void WaitForNews(const Deadline& deadline);

  /// Declares what viewers see; from the first call on they can steer.
  void Declare(const Declarations& declarations, NamedValues values);

  /// Reports the outcomes of a plan that was applied. Never null.
  void Report(std::unique_ptr<ChangePlan> carried);

  /// Step, time, observables: discarded when there is no connection.
  void TellProgress(ReportProgress progress);

  /// Has the hosts write the "newest" or the "next" snapshot to disk. The order has arrived when
  /// this returns; if the server does not accept it within a few seconds, that is logged.
  /// `commanded` is the number of the transaction that wants it.
  void OrderSave(const std::string& when, std::uint64_t commanded);

  bool Connected() const;
  /// Seconds since the connection was lost; 0 while there is one.
  Seconds Disconnected() const;

private:
  class Implementation;
  std::shared_ptr<SteeringLink> Link; ///< its thread may outlive this for a moment
  const std::atomic<bool>& News;
  std::unique_ptr<Implementation> Self;
};

}
