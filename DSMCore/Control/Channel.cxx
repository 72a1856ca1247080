// SPDX-License-Identifier: BSD-3-Clause
#include "Control/Channel.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Base/RandomNumber.h"
#include "Base/TestDelay.h"
#include "Control/Connector.h"
#include "Control/PendingReplies.h"
#include "Control/Probe.h"
#include "Control/ServiceThread.h"
#include "Control/ZapHandler.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <unistd.h>

namespace dsm
{

namespace
{
// The share of the half second that ~Channel may take which the last message gets to leave.
constexpr std::chrono::milliseconds Linger(250);
constexpr Seconds LongestEnd(0.5);

// How often, and for how long after one was sent, the thread looks for messages that may wait.
constexpr std::chrono::milliseconds BetweenLooks(2);
constexpr std::chrono::milliseconds LooksFor(50);

// How long an answer in a mailbox is looked for before this thread sleeps, giving its core away
// meanwhile: longer than the server takes for most.
constexpr std::chrono::microseconds AwakeFor(150);
// How often who sleeps looks whether the server is still there.
constexpr std::chrono::milliseconds BetweenChecks(10);
// The sender of a notification waits so long until the server has taken it, and has handled it.
constexpr std::chrono::milliseconds TakenWithin(1);
constexpr std::chrono::milliseconds HandledWithin(10);
// A request that nobody has taken out of the mailbox until then is sent over the channel.
constexpr std::chrono::milliseconds UntakenFor(500);

std::string NewIdentity()
{
  return fmt::format("{}-{:016x}", getpid(), RandomNumber());
}
}

// What the channel and its thread share; the last of the two to end frees it.
class Channel::Implementation
{
public:
  class State;

  Implementation(std::shared_ptr<State> state)
    : Shared(std::move(state))
    , Thread("dsm-channel", [shared = this->Shared] { RunThread(shared); })
  {
  }

  std::shared_ptr<State> Shared;
  ServiceThread Thread;

private:
  static void RunThread(const std::shared_ptr<State>& state);
};

class Channel::Implementation::State
{
public:
  State(const Contact& contact, const std::string& path, EventHandler handler)
    : Address(contact)
    , Path(AbsoluteName(path))
    , Silence(PeerTimeout())
    , Identity(NewIdentity())
    , Handler(std::move(handler))
  {
  }

  const Contact Address;
  const std::string Path;
  const Seconds Silence;
  const std::string Identity;

  // ---- Called by any thread.

  Bytes Exchange(
    const std::string& what, Bytes body, const Deadline& deadline, PendingReplies::Late late)
  {
    const std::uint64_t number = this->Replies.Begin();
    std::uint64_t sent = 0;
    try
    {
      Bytes frame = EncodeEnvelope(Message(what, std::move(body), number));
      if (!this->AskByMailbox(frame, deadline))
      {
        sent = this->Post({ std::move(frame), {}, false });
      }
    }
    catch (...)
    {
      this->Replies.Withdraw(number);
      throw;
    }
    if (auto reply = this->Replies.Wait(number, deadline, std::move(late)))
    {
      this->NoteArrived(sent);
      return std::move(*reply);
    }
    if (!this->Established)
    {
      throw Error(Fault::NoServer, "could not reach {} within {:.3g} s, to ask it to \"{}\". {}",
        this->Name(), deadline.LimitInSeconds(), what, Advice(this->Address));
    }
    throw Error(Fault::TimedOut,
      "no answer to \"{}\" within {:.3g} s from {}; its last sign of life came {:.1f} s ago", what,
      deadline.LimitInSeconds(), this->Name(),
      Seconds(Clock::now() - this->LastHeard.load()).count());
  }

  void Notify(const std::string& what, Bytes body)
  {
    Bytes frame = EncodeEnvelope(Message(what, std::move(body)));
    if (!this->NotifyByMailbox(frame))
    {
      this->Post({ std::move(frame), {}, false });
    }
  }

  void UseMailbox(const Mailbox& box, std::uint64_t key, std::shared_ptr<const void> keeps)
  {
    const std::lock_guard lock(this->Asking);
    this->Box = BoxInUse{ box, key, std::move(keeps) };
  }

  void Compose(Composer compose, bool mayWait) { this->Post({ {}, std::move(compose), mayWait }); }

  bool Good() const { return !this->Replies.Failed(); }

  bool WasForgotten() const { return this->Forgotten; }

  void RequireInvitation() const
  {
    if (this->Withdrawn)
    {
      throw Error(Fault::Refused, WithdrawnText(this->Address, this->Path));
    }
  }

  void Stop()
  {
    this->Stopping = true;
    this->Wake.Signal();
  }

  // Waits for the handler if it is running. From then on it is not called, should the thread live
  // on.
  void Disconnect()
  {
    const std::lock_guard lock(this->Calling);
    this->Connected = false;
  }

  // ---- The thread.

  void Run()
  {
    try
    {
      zmq::context_t context(1);
      Connector connector(this->Address, this->Path, this->Silence, this->Wake,
        [this] { return this->Stopping.load(); });
      if (auto server = connector.Connect(context, this->Identity))
      {
        this->Serve(*server);
      }
    }
    catch (const Error& error)
    {
      this->Replies.Fail(error.GetFault(), error.what());
    }
    catch (const std::exception& error)
    {
      this->Replies.Fail(Fault::System,
        fmt::format("the control channel to {} failed: {}", this->Name(), error.what()));
    }
    this->Replies.Fail(Fault::PeerLost, "the control channel is closed");
    this->Left = true;
  }

  // By any thread, and in a signal handler.
  void Leave(Seconds limit)
  {
    this->Stop();
    constexpr timespec step = { 0, 1000000 };
    for (const Deadline end(limit); !this->Left && !end.Expired();)
    {
      nanosleep(&step, nullptr);
    }
  }

private:
  // What is to be sent: encoded already, or still to be composed.
  struct Outgoing
  {
    Bytes Ready;
    Composer Compose;
    bool MayWait = false; ///< until the thread looks by itself, if it does
  };

  struct BoxInUse
  {
    Mailbox Place;
    std::uint64_t Key;
    std::shared_ptr<const void> Keeps;
  };

  // Whether all has arrived that was sent over the channel.
  bool IsAllThere()
  {
    const std::lock_guard<std::mutex> lock(this->Guard);
    return this->Arrived == this->Posted;
  }

  // The server has answered what was sent so far over the channel.
  void NoteArrived(std::uint64_t posted)
  {
    const std::lock_guard<std::mutex> lock(this->Guard);
    this->Arrived = std::max(this->Arrived, posted);
  }

  // True when the request is answered, or will be over the channel; false when it is still to be
  // sent.
  bool AskByMailbox(const Bytes& request, const Deadline& deadline)
  {
    // One at a time: a second thread does not wait for the first.
    const std::unique_lock lock(this->Asking, std::try_to_lock);
    if (!lock || !this->Box || !this->Established || !this->IsAllThere() ||
      !this->Box->Place.Ask(this->Box->Key, request))
    {
      return false;
    }
    const Mailbox& box = this->Box->Place;
    const auto begun = Clock::now();
    for (;;)
    {
      const auto state = box.Now();
      if (state == Mailbox::State::Answered)
      {
        const Bytes answer = box.TakeAnswer();
        auto message = DecodeEnvelope(answer.data(), answer.size());
        if (!message)
        {
          throw Error(Fault::Refused, "{} answered something that is no message", this->Name());
        }
        this->Replies.Complete(std::move(*message));
        return true;
      }
      if (state != Mailbox::State::Asked && state != Mailbox::State::Taken)
      {
        box.Reset();
        return true;
      }
      const auto waited = Clock::now() - begun;
      const bool over = this->Stopping || !this->Good() || deadline.Expired();
      if (over || (state == Mailbox::State::Asked && waited > UntakenFor))
      {
        const auto now = box.Withdraw();
        if (now == Mailbox::State::GivenUp || now == Mailbox::State::Idle)
        {
          return now == Mailbox::State::GivenUp;
        }
      }
      else if (waited < AwakeFor)
      {
        std::this_thread::yield();
      }
      else
      {
        box.SleepWhile(state, BetweenChecks);
      }
    }
  }

  // Returns true if the server has taken the notification. Behind one that goes over the channel,
  // all requests would have to go there as well until the server has answered one of them.
  bool NotifyByMailbox(const Bytes& notification)
  {
    const std::unique_lock lock(this->Asking, std::try_to_lock);
    if (!lock || !this->Box || !this->Established || !this->Good() || !this->IsAllThere() ||
      !this->Box->Place.Ask(this->Box->Key, notification))
    {
      return false;
    }
    const Mailbox& box = this->Box->Place;
    const auto begun = Clock::now();
    for (;;)
    {
      const auto state = box.Now();
      if (state != Mailbox::State::Asked && state != Mailbox::State::Taken)
      {
        box.Reset();
        return true;
      }
      const auto waited = Clock::now() - begun;
      if (waited < AwakeFor)
      {
        std::this_thread::yield();
      }
      else if (waited < (state == Mailbox::State::Asked ? TakenWithin : HandledWithin))
      {
        box.SleepWhile(state, TakenWithin);
      }
      else if (const auto now = box.Withdraw();
        now == Mailbox::State::GivenUp || now == Mailbox::State::Idle)
      {
        return now == Mailbox::State::GivenUp;
      }
    }
  }

  static Envelope Message(const std::string& name, Bytes body, std::uint64_t number = 0)
  {
    return { Envelope::Kind::Request, name, number, std::move(body), {}, {} };
  }

  void Serve(ServerSocket& server)
  {
    this->LastHeard = Clock::now();
    this->Established = true;
    const auto interval = std::chrono::duration_cast<Clock::duration>(this->Silence / 5);
    auto nextPing = Clock::now();
    auto lastRound = Clock::now();
    while (!this->Stopping && !this->Ended)
    {
      if (const auto now = Clock::now(); now >= nextPing)
      {
        this->SendNow(server, EncodeEnvelope(Message("ping", {})));
        nextPing = now + interval;
      }
      this->SendOutgoing(server);

      zmq::pollitem_t items[] = { { server.Socket.handle(), 0, ZMQ_POLLIN, 0 },
        server.Events.PollItem(), { nullptr, this->Wake.Descriptor(), ZMQ_POLLIN, 0 } };
      zmq::poll(items, 3, this->Patience(nextPing));
      if (items[2].revents != 0)
      {
        this->Wake.Drain();
      }
      this->ReceiveAll(server);
      testdelay::HoldAt("a channel has received");
      if (this->HandleSocketEvents(server))
      {
        nextPing = Clock::now();
      }
      // Not before the wait, in which a process that is stopped is most likely to be.
      const auto now = Clock::now();
      if (now - lastRound > 2 * interval)
      {
        // This process itself was stopped or starved: the silence is not the server's. If the
        // server gave us up meanwhile, it says so when it hears the ping.
        this->LastHeard = std::max(this->LastHeard.load(), now - 2 * interval);
      }
      lastRound = now;
      this->CheckSilence(now);
    }
    this->SendGoodbye(server);
  }

  void SendNow(ServerSocket& server, const Bytes& frame)
  {
    // Cannot block: there is no limit to what may wait, except the silence limit.
    [[maybe_unused]] const auto sent =
      server.Socket.send(zmq::buffer(frame), zmq::send_flags::dontwait);
  }

  void SendOutgoing(ServerSocket& server)
  {
    std::deque<Outgoing> messages;
    {
      const std::lock_guard<std::mutex> lock(this->Guard);
      this->Woken = false;
      messages.swap(this->Unsent);
    }
    // More of these are likely to follow. Other messages wake the thread.
    if (std::any_of(messages.begin(), messages.end(), [](const auto& one) { return one.MayWait; }))
    {
      this->LastSent = Clock::now();
    }
    for (const Outgoing& message : messages)
    {
      if (!message.Compose)
      {
        this->SendNow(server, message.Ready);
        continue;
      }
      try
      {
        for (Notice& notice : message.Compose())
        {
          this->SendNow(server, EncodeEnvelope(Message(notice.Name, std::move(notice.Body))));
        }
      }
      catch (const std::exception& error)
      {
        Log().warn("could not tell the server something: {}", error.what());
      }
    }
  }

  // How long to wait for something to do. For a while after a message that may wait was sent, the
  // thread looks by itself for more of these, which do not wake it.
  std::chrono::milliseconds Patience(Clock::time_point nextPing)
  {
    const auto now = Clock::now();
    const auto wait = std::max(
      std::chrono::milliseconds(0), std::chrono::ceil<std::chrono::milliseconds>(nextPing - now));
    const std::lock_guard<std::mutex> lock(this->Guard);
    this->Looking = now - this->LastSent < LooksFor;
    return !this->Unsent.empty() ? std::chrono::milliseconds(0)
      : this->Looking            ? std::min(wait, BetweenLooks)
                                 : wait;
  }

  void ReceiveAll(ServerSocket& server)
  {
    zmq::message_t frame;
    while (!this->Stopping && server.Socket.recv(frame, zmq::recv_flags::dontwait))
    {
      this->LastHeard = Clock::now();
      if (auto message = DecodeEnvelope(frame.data(), frame.size()))
      {
        this->Dispatch(std::move(*message));
      }
      else
      {
        Log().warn("{} sent something that is no message", this->Name());
      }
    }
  }

  void Dispatch(Envelope message)
  {
    if (message.What == Envelope::Kind::Reply || message.What == Envelope::Kind::Refusal)
    {
      try
      {
        this->Replies.Complete(std::move(message));
      }
      catch (const std::exception& error)
      {
        Log().warn("a late answer of the server: {}", error.what());
      }
      return;
    }
    if (message.Name == "pong")
    {
      return;
    }
    if (const std::lock_guard lock(this->Calling); this->Connected && this->Handler)
    {
      try
      {
        this->Handler(message);
      }
      catch (const std::exception& error)
      {
        Log().warn("handling the server's event \"{}\" failed: {}", message.Name, error.what());
      }
    }
    if (message.Name == "stopping")
    {
      this->End(fmt::format("{} has stopped", this->Name()));
    }
    else if (message.Name == "withdrawn")
    {
      this->EndWithdrawn();
    }
    else if (message.Name == "forgotten")
    {
      this->Forgotten = true;
      this->End(
        fmt::format("{} gave this process up, having heard nothing from it for {:.3g} s (was "
                    "it stopped?)",
          this->Name(), this->Silence.count()));
    }
  }

  // Looks at what happened below the socket. True when the connection came back.
  bool HandleSocketEvents(ServerSocket& server)
  {
    bool back = false;
    while (const auto event = server.Events.Next())
    {
      switch (event->Kind)
      {
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
          back = true;
          break;
        case ZMQ_EVENT_DISCONNECTED:
        case ZMQ_EVENT_CLOSED:
        case ZMQ_EVENT_CONNECT_RETRIED:
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
          // A slow network may heal, and ZeroMQ connects again by itself. But when the server's
          // machine says that nobody listens there any more, waiting is in vain.
          this->CheckListening(server);
          break;
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
          if (event->Value == ZapHandler::WithdrawnStatus)
          {
            this->EndWithdrawn();
            break;
          }
          [[fallthrough]];
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
          this->End(fmt::format(
            "{} is gone: another program answers at {}", this->Name(), server.Endpoint));
          break;
        default:
          break;
      }
    }
    return back;
  }

  void CheckListening(ServerSocket& server)
  {
    if (this->Ended)
    {
      return;
    }
    const ProbeResult probe = Probe(
      { server.Endpoint }, Seconds(0.1), this->Wake, [this] { return this->Stopping.load(); });
    if (probe.Answering || probe.Interrupted || !probe.Refused)
    {
      return;
    }
    // The server may have sent the reason before it closed the connection.
    this->ReceiveAll(server);
    if (!this->Ended)
    {
      this->End(
        fmt::format("lost {}: the connection was closed and nobody listens there any more ({}). {}",
          this->Name(), probe.Failures.front(), Advice(this->Address)));
    }
  }

  // The server has ended, or does not know this peer any more.
  void End(const std::string& why, Fault fault = Fault::PeerLost)
  {
    this->Ended = true;
    this->Replies.Fail(fault, why);
  }

  void EndWithdrawn()
  {
    this->Withdrawn = true;
    this->End(WithdrawnText(this->Address, this->Path), Fault::Refused);
  }

  // A silent server may only be stopped. No request is made of it any more, but the heartbeats go
  // on: when it goes on, it keeps what this peer has, an image above all, until the peer lets go.
  void CheckSilence(Clock::time_point now)
  {
    if (this->Good() && now - this->LastHeard.load() > this->Silence)
    {
      this->Replies.Fail(Fault::PeerLost,
        fmt::format("lost {}: no sign of life for {:.3g} s (DSM_PEER_TIMEOUT). {}", this->Name(),
          this->Silence.count(), Advice(this->Address)));
    }
  }

  void SendGoodbye(ServerSocket& server)
  {
    const bool heard = Clock::now() - this->LastHeard.load() <= this->Silence;
    if (!this->Ended && heard)
    {
      this->SendOutgoing(server);
      this->SendNow(server, EncodeEnvelope(Message("bye", {})));
      server.Socket.set(zmq::sockopt::linger, static_cast<int>(Linger.count()));
    }
  }

  std::string Name() const { return DescribeServer(this->Address, this->Path); }

  // Returns how many were posted then.
  std::uint64_t Post(Outgoing message)
  {
    if (!this->Good())
    {
      return 0;
    }
    bool wakes = false;
    std::uint64_t posted = 0;
    {
      const std::lock_guard<std::mutex> lock(this->Guard);
      // The thread that was woken for the first of them takes all.
      wakes = !this->Woken && !(message.MayWait && this->Looking);
      this->Woken = this->Woken || wakes;
      this->Unsent.push_back(std::move(message));
      posted = ++this->Posted;
    }
    if (wakes)
    {
      this->Wake.Signal();
    }
    return posted;
  }

  std::recursive_mutex Calling; // held while the handler runs, which may end the channel
  bool Connected = true;
  const EventHandler Handler;
  Wakeup Wake;
  std::atomic<bool> Stopping = false;
  std::atomic<bool> Left = false; ///< the thread has ended what it does
  bool Ended = false;             ///< nobody is left to talk to; the thread's own

  PendingReplies Replies;
  std::atomic<bool> Established = false;
  std::atomic<bool> Withdrawn = false;
  std::atomic<bool> Forgotten = false; ///< the server has lost this peer
  std::atomic<Clock::time_point> LastHeard{ Clock::time_point() };

  Clock::time_point LastSent; ///< the thread's own

  std::mutex Asking; // by the mailbox
  std::optional<BoxInUse> Box;

  std::mutex Guard;          // for these
  std::uint64_t Posted = 0;  ///< over the channel
  std::uint64_t Arrived = 0; ///< of those, for sure
  std::deque<Outgoing> Unsent;
  bool Woken = false;   ///< the thread, for what is unsent
  bool Looking = false; ///< it looks by itself, soon
};

void Channel::Implementation::RunThread(const std::shared_ptr<State>& state)
{
  state->Run();
}

Channel::Channel(const Contact& contact, const std::string& contactPath, EventHandler handler)
  : Self(std::make_unique<Implementation>(
      std::make_shared<Implementation::State>(contact, contactPath, std::move(handler))))
{
}

Channel::~Channel()
{
  if (this->Self->Thread.Forked())
  {
    // The thread and its sockets are the parent's; touching their copies could block for ever.
    [[maybe_unused]] auto* abandoned = this->Self.release();
    return;
  }
  this->Self->Shared->Stop();
  this->Self->Thread.Join(LongestEnd);
  this->Self->Shared->Disconnect();
}

void Channel::Leave(Seconds limit) noexcept
{
  if (!this->Self->Thread.Forked())
  {
    this->Self->Shared->Leave(limit);
  }
}

Bytes Channel::Exchange(
  const char* name, Bytes body, const Deadline& deadline, std::function<void(const Bytes&)> late)
{
  if (this->Self->Thread.Forked())
  {
    throw Error(Fault::PeerLost,
      "the connection to {} belongs to the process that forked this one: open one of its own",
      this->Self->Shared->Path);
  }
  // Held, so that a channel ended by mistake meanwhile leaves this call a state to fail with.
  const auto shared = this->Self->Shared;
  return shared->Exchange(name, std::move(body), deadline, std::move(late));
}

void Channel::Notify(const char* name, const FieldVisitor& visit) noexcept
{
  try
  {
    if (!this->Self->Thread.Forked())
    {
      this->Self->Shared->Notify(name, EncodeFields(visit));
    }
  }
  catch (const std::exception& error)
  {
    Log().warn("could not tell the server \"{}\": {}", name, error.what());
  }
}

void Channel::NotifyLater(Composer compose) noexcept
{
  this->Post(std::move(compose), false);
}

void Channel::ComposeSoon(Composer compose) noexcept
{
  this->Post(std::move(compose), true);
}

void Channel::Post(Composer compose, bool mayWait) noexcept
{
  try
  {
    if (!this->Self->Thread.Forked())
    {
      this->Self->Shared->Compose(std::move(compose), mayWait);
    }
  }
  catch (const std::exception& error)
  {
    Log().warn("could not tell the server something: {}", error.what());
  }
}

void Channel::UseMailbox(
  const Mailbox& box, std::uint64_t key, std::shared_ptr<const void> keeps) noexcept
{
  this->Self->Shared->UseMailbox(box, key, std::move(keeps));
}

const std::string& Channel::Identity() const
{
  return this->Self->Shared->Identity;
}

bool Channel::Alive() const
{
  return !this->Self->Thread.Forked() && this->Self->Shared->Good();
}

bool Channel::WasForgotten() const
{
  return this->Self->Shared->WasForgotten();
}

void Channel::RequireInvitation() const
{
  this->Self->Shared->RequireInvitation();
}

const std::string& Channel::ContactPath() const
{
  return this->Self->Shared->Path;
}

}
