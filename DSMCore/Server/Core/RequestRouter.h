// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Right.h"
#include "Control/Envelope.h"
#include "Protocol/GuestMessages.h"
#include "Server/Core/Call.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/Waiters.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// The one way into the core: it admits requests, checks their rights, and hands each to the
/// service that handles its type. It has the core's only lock, so the services see one event at a
/// time.
///
/// An event is a request, a tick, or a call of the host program. Before each event the router sets
/// the core's time. Behind it, without the lock, it runs the tasks that services posted, in order.
class RequestRouter final : public Waiters
{
public:
  /// Decides who may send requests.
  class Gate
  {
  public:
    virtual ~Gate() = default;
    /// Null for the server's owner, who may do all. Throws Error(Refused) for a key that is not
    /// admitted any more.
    virtual const GuestDescription* GuestOf(const std::string& key) const = 0;
  };

  /// `clock` returns the time of an event. All must outlive this.
  RequestRouter(CoreState& state, const Gate& gate, std::function<CoreTime()> clock);

  /// Gives all requests of a type to a service, which has a method Handle(const Call&, const
  /// Message&).
  template <typename Message, typename Service>
  void On(Service& service)
  {
    Route& route = this->Routes[Message::Name];
    route.Handle = [&service](const Call& call, const Envelope& message)
    { service.Handle(call, Content<Message>(message)); };
    route.Needed = []([[maybe_unused]] const Envelope& message)
    {
      if constexpr (requires(const Message& one) { one.Needed(); })
      {
        return Content<Message>(message).Needed();
      }
      return Message::Needs;
    };
    if constexpr (requires { Message::MayComeInMemory; })
    {
      route.MayComeInMemory = Message::MayComeInMemory;
    }
  }

  /// Called at the end of each event, under the lock.
  void AtEnd(std::function<void()> settle) { this->Settle = std::move(settle); }

  /// Handles a request. Does nothing once the core is closed. Throws what the handler throws, and
  /// Error(Refused) for a request that its sender may not make.
  void Receive(Call call, const Envelope& message);

  /// Does something else as one event.
  template <typename Work>
  auto Do(const Work& work)
  {
    const Visit visit(*this);
    return work();
  }

  /// Has a task run behind the event, without the lock. Thread safe only within an event.
  void Post(std::function<void()> task) { this->Tasks.push_back(std::move(task)); }

  /// The right that a request needs. Right::Own if the core does not know it.
  Right NeededFor(const Envelope& message) const;
  /// The names of all requests that the core handles.
  std::vector<std::string> Names() const;

  /// Holds the core's lock. A thread of the host program may wait in one.
  class Visit
  {
  public:
    explicit Visit(RequestRouter& router);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

    /// \name Releases the lock until the thread is woken, or until a moment. It may wake earlier.
    ///@{
    void WaitAsReader(std::optional<Clock::time_point> until);
    void WaitAsDiskWriter(std::optional<Clock::time_point> until);
    ///@}

  private:
    void Wait(std::condition_variable& what, std::optional<Clock::time_point> until);

    RequestRouter& Router;
    std::unique_lock<std::mutex> Lock;
  };

  void WakeReaders() override { this->Readers.notify_all(); }
  void WakeDiskWriters() override { this->DiskWriters.notify_all(); }

private:
  struct Route
  {
    std::function<void(const Call&, const Envelope&)> Handle;
    std::function<Right(const Envelope&)> Needed;
    bool MayComeInMemory = false;
  };

  void Drain();

  CoreState& State;
  const Gate& Admission;
  const std::function<CoreTime()> Clocks;
  std::map<std::string, Route> Routes;
  std::function<void()> Settle = [] {};
  std::mutex Guard; ///< of the whole core
  std::condition_variable Readers;
  std::condition_variable DiskWriters;
  std::deque<std::function<void()>> Tasks;
  bool IsDraining = false; ///< some thread runs tasks, in order
};

}
