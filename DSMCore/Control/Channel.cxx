// SPDX-License-Identifier: BSD-3-Clause
#include "Control/Channel.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Log.h"
#include "Control/Codec.h"
#include "Control/Dialer.h"
#include "Control/Probe.h"
#include "Control/ServiceThread.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
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
  struct Failure
  {
    Fault Kind;
    std::string Text;
  };

  /// A request on its way. Lives on the stack of the thread that waits for it.
  struct Pending
  {
    std::condition_variable Changed;
    std::optional<Json> Reply;
    std::optional<Failure> Failed;
  };

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
    Pending mine;
    std::unique_lock<std::mutex> lock(this->Guard);
    if (this->Broken)
    {
      throw Error(this->Broken->Kind, this->Broken->Text);
    }
    const std::uint64_t id = this->NextId++;
    arguments["ask"] = what;
    arguments["id"] = id;
    this->Outgoing.push_back(EncodeMessage(arguments));
    this->Waiting.emplace(id, &mine);
    this->Wake.Signal();
    mine.Changed.wait_until(
      lock, deadline.TimePoint(), [&mine] { return mine.Reply || mine.Failed; });
    this->Waiting.erase(id);
    if (mine.Reply)
    {
      return std::move(*mine.Reply);
    }
    if (mine.Failed)
    {
      throw Error(mine.Failed->Kind, mine.Failed->Text);
    }
    if (!this->Established)
    {
      throw Error(Fault::NoServer, "could not reach {} within {:.3g} s, to ask it to \"{}\". {}",
        DescribeServer(this->Address, this->Path), deadline.LimitInSeconds(), what,
        Advice(this->Address));
    }
    throw Error(Fault::TimedOut,
      "no answer to \"{}\" within {:.3g} s from {}; its last sign of life came {:.1f} s ago", what,
      deadline.LimitInSeconds(), DescribeServer(this->Address, this->Path),
      Seconds(Clock::now() - this->LastHeard).count());
  }

  void Tell(const std::string& what, Json arguments)
  {
    arguments["ask"] = what;
    Frame frame = EncodeMessage(arguments);
    const std::lock_guard<std::mutex> lock(this->Guard);
    if (!this->Broken)
    {
      this->Outgoing.push_back(std::move(frame));
      this->Wake.Signal();
    }
  }

  bool Good() const
  {
    const std::lock_guard<std::mutex> lock(this->Guard);
    return !this->Broken;
  }

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
      this->Break(error.GetFault(), error.what());
    }
    catch (const std::exception& error)
    {
      this->Break(Fault::System,
        fmt::format("the control channel to {} failed: {}",
          DescribeServer(this->Address, this->Path), error.what()));
    }
    this->Break(Fault::PeerLost, "the control channel is closed");
  }

private:
  void Serve(Line& line)
  {
    {
      const std::lock_guard<std::mutex> lock(this->Guard);
      this->Established = true;
      this->LastHeard = Clock::now();
    }
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
        const std::lock_guard<std::mutex> lock(this->Guard);
        this->LastHeard = std::max(this->LastHeard, now - 2 * interval);
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
    std::deque<Frame> frames;
    {
      const std::lock_guard<std::mutex> lock(this->Guard);
      frames.swap(this->Outgoing);
    }
    for (const Frame& frame : frames)
    {
      this->SendNow(line, frame);
    }
  }

  void ReceiveAll(Line& line)
  {
    zmq::message_t frame;
    while (!this->Stopping && line.Socket.recv(frame, zmq::recv_flags::dontwait))
    {
      {
        const std::lock_guard<std::mutex> lock(this->Guard);
        this->LastHeard = Clock::now();
      }
      if (auto message = DecodeMessage(frame.data(), frame.size()))
      {
        this->Dispatch(std::move(*message));
      }
      else
      {
        Log().warn(
          "{} sent something that is no message", DescribeServer(this->Address, this->Path));
      }
    }
  }

  void Dispatch(Json message)
  {
    const auto id = message.find("id");
    if (id != message.end() && id->is_number_unsigned())
    {
      const std::uint64_t number = id->get<std::uint64_t>();
      this->Settle(number, std::move(message));
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
        Log().warn("handling the server's event {} failed: {}", event.dump(), error.what());
      }
    }
    if (event == "stopping")
    {
      this->Break(
        Fault::PeerLost, fmt::format("{} has stopped", DescribeServer(this->Address, this->Path)));
    }
    else if (event == "forgotten")
    {
      this->Break(Fault::PeerLost,
        fmt::format("{} gave this process up, having heard nothing from it for {:.3g} s (was it "
                    "stopped?)",
          DescribeServer(this->Address, this->Path), this->Silence.count()));
    }
  }

  void Settle(std::uint64_t id, Json reply)
  {
    const std::lock_guard<std::mutex> lock(this->Guard);
    const auto found = this->Waiting.find(id);
    if (found == this->Waiting.end())
    {
      return; // whoever asked has given up
    }
    Pending& pending = *found->second;
    if (reply.value("ok", Json()) == true)
    {
      pending.Reply = std::move(reply);
    }
    else
    {
      const Json fault = reply.value("fault", Json());
      const Json text = reply.value("text", Json());
      pending.Failed = Failure{ fault.is_string() ? FaultFromName(fault) : Fault::System,
        text.is_string() ? text.get<std::string>() : "the server refused and did not say why" };
    }
    pending.Changed.notify_all();
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
          this->Break(Fault::PeerLost,
            fmt::format("{} is gone: another program answers at {}",
              DescribeServer(this->Address, this->Path), line.Endpoint));
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
      this->Break(Fault::PeerLost,
        fmt::format("lost {}: the connection was closed and nobody listens there any more ({}). {}",
          DescribeServer(this->Address, this->Path), probe.Failures.front(),
          Advice(this->Address)));
    }
  }

  void CheckSilence()
  {
    Clock::time_point heard;
    {
      const std::lock_guard<std::mutex> lock(this->Guard);
      heard = this->LastHeard;
    }
    if (Clock::now() - heard > this->Silence)
    {
      this->Break(Fault::PeerLost,
        fmt::format("lost {}: no sign of life for {:.3g} s (DSM_PEER_TIMEOUT). {}",
          DescribeServer(this->Address, this->Path), this->Silence.count(), Advice(this->Address)));
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

  // The end of the channel, with its reason; only the first counts. Whoever waits is told.
  void Break(Fault fault, const std::string& text)
  {
    const std::lock_guard<std::mutex> lock(this->Guard);
    if (!this->Broken)
    {
      this->Broken = Failure{ fault, text };
    }
    for (const auto& [id, pending] : this->Waiting)
    {
      if (!pending->Reply)
      {
        pending->Failed = this->Broken;
      }
      pending->Changed.notify_all();
    }
  }

  const EventHandler Handler;
  Wakeup Wake;
  std::atomic<bool> Stopping = false;

  mutable std::mutex Guard; // for all below
  std::deque<Frame> Outgoing;
  std::map<std::uint64_t, Pending*> Waiting;
  std::uint64_t NextId = 1;
  bool Established = false;
  Clock::time_point LastHeard;
  std::optional<Failure> Broken;
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
  return this->Self->Shared->Ask(what, std::move(arguments), deadline);
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
