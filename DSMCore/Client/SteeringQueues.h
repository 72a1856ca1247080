// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Client/ChangePlan.h"
#include "Control/Channel.h"
#include "Steering/SteeringMessages.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace dsm
{

/// A simulation's messages that wait: transactions that arrived and were not applied, outcomes that
/// were not acknowledged, values that viewers should know. It outlives connections.
///
/// Three threads use it: the time loop takes a plan and submits its result, without waiting; a
/// channel's thread checks transactions, makes the plan and encodes outcomes; the thread that keeps
/// the channel connected attaches and detaches channels. All methods are thread safe.
class SteeringQueues : public std::enable_shared_from_this<SteeringQueues>
{
public:
  /// `notify` is called when a plan waits, without a lock held.
  explicit SteeringQueues(std::function<void()> notify)
    : Notify(std::move(notify))
  {
  }

  /// \name The time loop's thread
  ///@{
  /// Whether Take has something: one atomic load.
  const std::atomic<bool>& News() const { return this->HasNews; }
  std::unique_ptr<ChangePlan> Take();
  void Submit(std::unique_ptr<ChangePlan> carried);
  void Submit(ReportProgress progress);
  /// What viewers see from now on.
  void Declare(const Declarations& declarations, NamedValues values);
  ///@}

  /// \name A channel's thread
  ///@{
  /// Makes a plan of them. `arrays` are the elements of the arrays that they set.
  void Receive(const DeliverTransactions& delivered, std::vector<FetchedArray> arrays = {});
  void Receive(const OutcomesAcknowledged& acknowledged);
  /// Returns the arrays that they set, each as the text of a SentArray.
  std::vector<std::string> ArraysOf(const DeliverTransactions& delivered) const;
  ///@}

  /// \name The link's thread
  ///@{
  /// Whether there was a declaration.
  bool HasDeclared() const;
  /// The first message on a new connection, without the program and its instance.
  DeclareProgram Declaration();
  /// Another server counts from 1 again and knows nothing of the old one's transactions: those that
  /// wait still count, as changes of the program's own.
  void BeginAnew();
  /// From now on messages go to this channel; first those that a server may have missed.
  void Attach(std::shared_ptr<Channel> channel);
  /// The connection is lost: messages wait for the next one.
  void Detach();
  ///@}

private:
  /// What the time loop submits: a plan that was applied, or, without one, its progress.
  struct Submitted
  {
    std::unique_ptr<ChangePlan> Carried;
    ReportProgress Progress;
  };

  void Submit(Submitted what);
  void ProcessSubmitted(std::vector<Channel::Notice>* messages);
  std::vector<Channel::Notice> ComposeNew();
  std::vector<Channel::Notice> ComposeUnacknowledged();
  void NotifyLater(Channel& channel, std::vector<Channel::Notice> (SteeringQueues::*compose)());

  const std::function<void()> Notify;
  std::atomic<bool> HasNews = false;

  /// Held for a few instructions only; who needs both locks takes Guard first.
  mutable std::mutex Counter;
  std::unique_ptr<ChangePlan> Ready;  ///< checked against what is offered now; null: nothing came
  std::vector<Submitted> Unprocessed; ///< in the time loop's order; not looked at yet
  std::shared_ptr<Channel> Listener;  ///< null: no connection

  mutable std::mutex Guard;   ///< for all that follows
  std::uint64_t Received = 0; ///< the highest transaction number of the server we had last
  bool Declared = false;
  std::shared_ptr<const Declarations> Offered = std::make_shared<Declarations>();
  NamedValues Values; ///< as viewers know them, or the next server will
  std::deque<std::pair<std::uint64_t, Outcome>> Unacknowledged; ///< by ticket, not acknowledged
  std::uint64_t LastTicket = 0;
};

}
