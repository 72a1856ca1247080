// SPDX-License-Identifier: BSD-3-Clause
#include "Control/Channel.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Control/Codec.h"
#include "Control/Dialer.h"
#include "Control/PendingReplies.h"
#include "Control/Probe.h"
#include "Control/ServiceThread.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <random>
#include <utility>

#include <unistd.h>

namespace dsm
{

namespace
{
using Json = nlohmann::json;

// The share of the half second that ~Channel may take which the last message gets to leave.
constexpr std::chrono::milliseconds Linger(250);
constexpr Seconds LongestEnd(0.5);

std::string NewIdentity()
{
  std::random_device random;
  return fmt::format("{}-{:08x}{:08x}", getpid(), random(), random());
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

  Json Ask(const std::string& what, Json arguments, const Deadline& deadline)
  {
    const std::uint64_t number = this->Replies.Begin();
    try
    {
      arguments["ask"] = what;
      arguments["id"] = number;
      this->Post({ EncodeMessage(arguments), {} });
    }
    catch (...)
    {
      this->Replies.Settle({ { "id", number }, { "ok", true } });
      this->Replies.Wait(number, deadline);
      throw;
    }
    if (auto reply = this->Replies.Wait(number, deadline))
    {
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

  void Tell(const std::string& what, Json arguments)
  {
    arguments["ask"] = what;
    this->Post({ EncodeMessage(arguments), {} });
  }

  void TellLater(Composer compose) { this->Post({ {}, std::move(compose) }); }

  bool Good() const { return !this->Replies.Failed(); }

  void Stop()
  {
    this->Stopping = true;
    this->Wake.Signal();
  }

  // ---- The thread.

  void Run()
  {
    try
    {
      zmq::context_t context(1);
      Dialer dialer(this->Address, this->Path, this->Silence, this->Wake,
        [this] { return this->Stopping.load(); });
      if (auto line = dialer.Dial(context, this->Identity))
      {
        this->Serve(*line);
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
  }

private:
  // What is to be sent: encoded already, or still to be composed.
  struct Letter
  {
    Frame Ready;
    Composer Compose;
  };

  void Serve(Line& line)
  {
    this->LastHeard = Clock::now();
    this->Established = true;
    const auto interval = std::chrono::duration_cast<Clock::duration>(this->Silence / 5);
    auto nextPing = Clock::now();
    auto lastRound = Clock::now();
    while (!this->Stopping && this->Good())
    {
      const auto now = Clock::now();
      if (now - lastRound > 2 * interval)
      {
        // This process itself was stopped or starved: the silence is not the server's. If the
        // server gave us up meanwhile, it says so when it hears the ping.
        this->LastHeard = std::max(this->LastHeard.load(), now - 2 * interval);
      }
      lastRound = now;
      if (now >= nextPing)
      {
        this->SendNow(line, EncodeMessage({ { "ask", "ping" } }));
        nextPing = now + interval;
      }
      this->SendOutgoing(line);

      zmq::pollitem_t items[] = { { line.Socket.handle(), 0, ZMQ_POLLIN, 0 },
        line.Events.PollItem(), { nullptr, this->Wake.Descriptor(), ZMQ_POLLIN, 0 } };
      zmq::poll(items, 3,
        std::max(std::chrono::milliseconds(0),
          std::chrono::ceil<std::chrono::milliseconds>(nextPing - Clock::now())));
      if (items[2].revents != 0)
      {
        this->Wake.Drain();
      }
      this->ReceiveAll(line);
      if (this->Look(line))
      {
        nextPing = Clock::now();
      }
      this->CheckSilence();
    }
    this->SayGoodbye(line);
  }

  void SendNow(Line& line, const Frame& frame)
  {
    // Cannot block: there is no limit to what may wait, except the silence limit.
    [[maybe_unused]] const auto sent =
      line.Socket.send(zmq::buffer(frame), zmq::send_flags::dontwait);
  }

  void SendOutgoing(Line& line)
  {
    std::deque<Letter> letters;
    {
      const std::lock_guard<std::mutex> lock(this->Guard);
      letters.swap(this->Outgoing);
    }
    for (const Letter& letter : letters)
    {
      if (!letter.Compose)
      {
        this->SendNow(line, letter.Ready);
        continue;
      }
      try
      {
        for (const Json& message : letter.Compose())
        {
          this->SendNow(line, EncodeMessage(message));
        }
      }
      catch (const std::exception& error)
      {
        Log().warn("could not tell the server something: {}", error.what());
      }
    }
  }

  void ReceiveAll(Line& line)
  {
    zmq::message_t frame;
    while (!this->Stopping && line.Socket.recv(frame, zmq::recv_flags::dontwait))
    {
      this->LastHeard = Clock::now();
      if (auto message = DecodeMessage(frame.data(), frame.size()))
      {
        this->Dispatch(std::move(*message));
      }
      else
      {
        Log().warn("{} sent something that is no message", this->Name());
      }
    }
  }

  void Dispatch(Json message)
  {
    if (message.contains("id"))
    {
      this->Replies.Settle(std::move(message));
      return;
    }
    const Json event = message.value("event", Json());
    if (event == "pong")
    {
      return;
    }
    if (this->Handler)
    {
      try
      {
        this->Handler(message);
      }
      catch (const std::exception& error)
      {
        Log().warn("handling the server's event {} failed: {}",
          event.dump(-1, ' ', false, Json::error_handler_t::replace), error.what());
      }
    }
    if (event == "stopping")
    {
      this->Replies.Fail(Fault::PeerLost, fmt::format("{} has stopped", this->Name()));
    }
    else if (event == "forgotten")
    {
      this->Replies.Fail(Fault::PeerLost,
        fmt::format("{} gave this process up, having heard nothing from it for {:.3g} s (was it "
                    "stopped?)",
          this->Name(), this->Silence.count()));
    }
  }

  // Looks at what happened below the socket. True when the connection came back.
  bool Look(Line& line)
  {
    bool back = false;
    while (const auto event = line.Events.Next())
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
          this->CheckListening(line.Endpoint);
          break;
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
          this->Replies.Fail(Fault::PeerLost,
            fmt::format("{} is gone: another program answers at {}", this->Name(), line.Endpoint));
          break;
        default:
          break;
      }
    }
    return back;
  }

  void CheckListening(const std::string& endpoint)
  {
    if (!this->Good())
    {
      return;
    }
    const ProbeResult probe =
      Probe({ endpoint }, Seconds(0.1), this->Wake, [this] { return this->Stopping.load(); });
    if (!probe.Answering && !probe.Interrupted && probe.Refused)
    {
      this->Replies.Fail(Fault::PeerLost,
        fmt::format("lost {}: the connection was closed and nobody listens there any more ({}). {}",
          this->Name(), probe.Failures.front(), Advice(this->Address)));
    }
  }

  void CheckSilence()
  {
    if (Clock::now() - this->LastHeard.load() > this->Silence)
    {
      this->Replies.Fail(Fault::PeerLost,
        fmt::format("lost {}: no sign of life for {:.3g} s (DSM_PEER_TIMEOUT). {}", this->Name(),
          this->Silence.count(), Advice(this->Address)));
    }
  }

  void SayGoodbye(Line& line)
  {
    if (this->Good())
    {
      this->SendOutgoing(line);
      this->SendNow(line, EncodeMessage({ { "ask", "bye" } }));
      line.Socket.set(zmq::sockopt::linger, static_cast<int>(Linger.count()));
    }
  }

  std::string Name() const { return DescribeServer(this->Address, this->Path); }

  void Post(Letter letter)
  {
    if (!this->Good())
    {
      return;
    }
    bool first = false;
    {
      const std::lock_guard<std::mutex> lock(this->Guard);
      first = this->Outgoing.empty();
      this->Outgoing.push_back(std::move(letter));
    }
    // The thread that was woken for the first of them takes all.
    if (first)
    {
      this->Wake.Signal();
    }
  }

  const EventHandler Handler;
  Wakeup Wake;
  std::atomic<bool> Stopping = false;

  PendingReplies Replies;
  std::atomic<bool> Established = false;
  std::atomic<Clock::time_point> LastHeard{ Clock::time_point() };

  std::mutex Guard; // for Outgoing
  std::deque<Letter> Outgoing;
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
}

Json Channel::Request(const std::string& what, Json arguments, const Deadline& deadline)
{
  if (this->Self->Thread.Forked())
  {
    throw Error(Fault::PeerLost,
      "the connection to {} belongs to the process that forked this one: open one of its own",
      this->Self->Shared->Path);
  }
  // Held, so that a channel ended by mistake meanwhile leaves this call a state to fail with.
  const auto shared = this->Self->Shared;
  return shared->Ask(what, std::move(arguments), deadline);
}

void Channel::Notify(const std::string& what, Json arguments) noexcept
{
  try
  {
    if (!this->Self->Thread.Forked())
    {
      this->Self->Shared->Tell(what, std::move(arguments));
    }
  }
  catch (const std::exception& error)
  {
    Log().warn("could not tell the server \"{}\": {}", what, error.what());
  }
}

void Channel::NotifyLater(Composer compose) noexcept
{
  try
  {
    if (!this->Self->Thread.Forked())
    {
      this->Self->Shared->TellLater(std::move(compose));
    }
  }
  catch (const std::exception& error)
  {
    Log().warn("could not tell the server something: {}", error.what());
  }
}

bool Channel::Alive() const
{
  return !this->Self->Thread.Forked() && this->Self->Shared->Good();
}

const std::string& Channel::ContactPath() const
{
  return this->Self->Shared->Path;
}

Seconds PeerTimeout()
{
  return environment::SecondsOr("DSM_PEER_TIMEOUT", 10);
}

}
