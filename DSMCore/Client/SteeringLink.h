// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Client/SteeringQueues.h"
#include "Protocol/Descriptions.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace dsm
{

/// Keeps a simulation connected to the steering service: connects, declares what can be steered,
/// and connects again when the connection was lost. Run is its thread's function; the other methods
/// are thread safe. No MPI call is made.
class SteeringLink : public std::enable_shared_from_this<SteeringLink>
{
public:
  static constexpr Seconds OneAttempt{ 5 }; ///< to connect, say hello, declare or order

  /// `process`: this one, as it introduces itself.
  SteeringLink(const std::string& contactPath, PeerDescription process);

  /// Until End.
  void Run();
  void End();

  /// Waits until the first attempt to connect has succeeded or failed.
  void WaitForAttempt(const Deadline& deadline);

  /// Waits for a plan, or until a connection comes or goes.
  void WaitForNews(const Deadline& deadline);

  /// What was declared has changed: waits until the server knows it, if there is one.
  void DeclareAnew();

  /// Null while there is no connection.
  std::shared_ptr<Channel> Connection() const;
  /// Seconds since the connection was lost; 0 while there is one.
  Seconds Disconnected() const;

  SteeringQueues& Messages() { return *this->Queues; }
  const std::string& Program() const { return this->Process.Program; }

private:
  void Receive(const Envelope& event);
  void Receive(DeliverTransactions delivered);
  void FetchArrays();
  void Serve();
  void Lost();
  bool EndsWithin(Seconds limit, const std::function<bool()>& orUntil);
  std::shared_ptr<Channel> Connect();
  void Adopt(const std::shared_ptr<Channel>& link, const std::string& session);
  void SendDeclarations(const std::shared_ptr<Channel>& link);

  const std::string Path;
  const PeerDescription Process;
  const std::string Instance; ///< this run, also after it has connected again
  const std::shared_ptr<SteeringQueues> Queues;

  mutable std::mutex Guard;        ///< for all that follows; held while the mail is called, too
  std::condition_variable Changed; ///< the time loop may wait for it
  std::condition_variable Due;     ///< wakes the thread
  std::shared_ptr<Channel> Link;   ///< null while there is no connection
  std::string Session;             ///< of the server we had last
  std::deque<DeliverTransactions> Delivered; ///< those that set arrays, and all behind them
  bool MustDeclare = false;
  bool Known = false; ///< the server has our declarations
  bool Attempted = false;
  bool Ending = false;
  Clock::time_point LostAt = Clock::now();
};

}
