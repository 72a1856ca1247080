// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Client/SteeringAgent.h"
#include "Session/Peer.h"
#include "Steering/Transaction.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace dsm
{

class Channel;

/// What three threads of the agent share: the time loop's (SteeringAgent.cxx), the one that keeps
/// the link up (SteeringAgentLink.cxx), and the channel's, where what comes is read and what is
/// told is composed (SteeringAgentMail.cxx). The channel may outlive the agent for a moment, so
/// each holds it by a pointer of its own.
class SteeringAgent::State : public std::enable_shared_from_this<SteeringAgent::State>
{
public:
  static constexpr Seconds OneAttempt{ 5 }; ///< to connect, say hello, declare or order

  /// What the time loop leaves behind, for the channel's thread to tell: a plan that was carried
  /// out, or, without one, its progress.
  struct HandedOver
  {
    std::unique_ptr<ChangePlan> Carried;
    nlohmann::json Progress;
  };

  State(const std::string& path, const std::string& program, std::uint64_t ranks);

  const std::string Path;
  const std::string Program;
  const PeerDescription Who;
  const std::string Instance;
  std::atomic<bool> News = false;

  /// What the time loop's thread takes and leaves in passing. Held for a few instructions only;
  /// whoever needs both locks takes Guard first.
  std::mutex Counter;
  std::unique_ptr<ChangePlan> Ready; ///< checked against what is offered now; null: nothing came
  std::vector<HandedOver> Fresh;     ///< in the time loop's order; not looked at yet
  std::shared_ptr<Channel> Teller;   ///< Link when it is Known, else null

  std::mutex Guard;                ///< for all that follows
  std::condition_variable Changed; ///< the time loop may wait for it
  std::condition_variable Due;     ///< wakes the thread that keeps the link up
  std::shared_ptr<Channel> Link;   ///< null while there is no connection
  std::string Server;              ///< the session whose numbers we have
  std::uint64_t Received = 0;      ///< the highest transaction number of that session
  std::shared_ptr<const Declarations> Offered = std::make_shared<Declarations>();
  std::deque<std::pair<std::uint64_t, Outcome>> Untold; ///< by ticket, not acknowledged
  std::uint64_t LastTicket = 0;
  nlohmann::json Declared; ///< null before the first declaration
  bool DeclareAgain = false;
  bool Known = false; ///< the desk at the other end has our declarations
  bool Attempted = false;
  bool Ending = false;
  Clock::time_point LostAt = Clock::now();

  void Run();                               ///< the thread that keeps the link up
  void Handle(const nlohmann::json& event); ///< the channel's thread: what came
  void HandOver(HandedOver what);           ///< the time loop's thread

  /// With Guard held: keeps what is new, and adds to `messages`, if given, what there is to tell.
  void LookAtFresh(std::vector<nlohmann::json>* messages);
  /// With Guard held.
  void SetKnown(bool known);

private:
  void Serve();
  void Lost();
  bool EndsWithin(Seconds limit, const std::function<bool()>& orUntil);
  std::shared_ptr<Channel> Connect();
  void Adopt(const std::shared_ptr<Channel>& link, const std::string& session);
  void SendDeclarations(const std::shared_ptr<Channel>& link);

  void Receive(const nlohmann::json& transactions);
  std::vector<nlohmann::json> ComposeFresh();
  std::vector<nlohmann::json> ComposeUntold();
  void TellLater(Channel& channel, std::vector<nlohmann::json> (State::*compose)());
};

}
