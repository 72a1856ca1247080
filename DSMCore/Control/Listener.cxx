// SPDX-License-Identifier: BSD-3-Clause
#include "Control/Listener.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/Threads.h"
#include "Control/AdmittedKeys.h"
#include "Control/Channel.h"
#include "Control/KeyPair.h"
#include "Control/PeerTable.h"
#include "Control/ServiceThread.h"
#include "Control/SocketEvents.h"
#include "Control/Wakeup.h"
#include "Control/ZapHandler.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>

namespace dsm
{

namespace
{
constexpr std::chrono::milliseconds TickInterval(100);
// A listener that has no handler for ticks only looks for lost peers: so often in the time after
// which a silent one is lost, but once a second at least.
constexpr int LooksForLost = 20;
constexpr Seconds LongestTick(1);
constexpr std::chrono::milliseconds Linger(250);
constexpr Seconds LongestEnd(0.5);

// A peer that keeps sending must not keep the clock from ticking.
constexpr int MessagesPerRound = 256;

// What one peer can have pile up here: of its messages, behind which its connection stands still;
// and of those to it, when it does not read. ZeroMQ takes from all connections in turn, so who
// sends without end waits for itself.
constexpr std::int64_t LargestRequest = 8 << 20;
constexpr int MostUnread = 64;
constexpr int MostUnsent = 256;

// How many more messages to a peer are kept, which does not read as fast as they come: a host hears
// of each image of a program that has died with hundreds of them open. How often they are tried.
constexpr std::size_t MostBehind = 10000;
constexpr std::chrono::milliseconds BetweenTries(5);

// How many names of messages are counted apart.
constexpr std::size_t MostNames = 200;

// How long the thread of the mailboxes sleeps at most: nothing but its end depends on it.
constexpr std::chrono::seconds BetweenBells(1);

// The request from a mailbox that a thread is just handling. Its answer goes back by the box,
// unless something went to the same peer over the channel before: then it comes behind that.
struct BoxedRequest
{
  PeerId Peer;
  std::uint64_t Id = 0;
  Mailbox Box;
  bool Over = false; ///< it is answered, or will be over the channel
};
thread_local BoxedRequest* BeingHandled = nullptr;

// The addresses under which other machines may reach this one.
std::vector<std::string> OwnAddresses()
{
  std::vector<std::string> addresses;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0)
  {
    Log().warn("cannot list this machine's addresses: {}. Only programs on this machine will reach "
               "the server",
      SystemText(errno));
    return addresses;
  }
  for (const ifaddrs* one = first; one; one = one->ifa_next)
  {
    if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET || (one->ifa_flags & IFF_UP) == 0 ||
      (one->ifa_flags & IFF_LOOPBACK) != 0)
    {
      continue;
    }
    std::array<char, INET_ADDRSTRLEN> text{};
    const auto* address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    if (inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size()))
    {
      addresses.emplace_back(text.data());
    }
  }
  freeifaddrs(first);
  return addresses;
}

}

// The sockets, which belong to one thread at a time: that of the constructor, then the listener's.
class Listener::Implementation
{
public:
  class State;

  Implementation(std::shared_ptr<State> state)
    : Shared(std::move(state))
    , Thread("dsm-listener", [shared = this->Shared] { RunThread(shared); })
    , Boxes("dsm-mailboxes", [shared = this->Shared] { RunBoxes(shared); })
  {
  }

  std::shared_ptr<State> Shared;
  ServiceThread Thread;
  ServiceThread Boxes;

private:
  static void RunThread(const std::shared_ptr<State>& state);
  static void RunBoxes(const std::shared_ptr<State>& state);
};

class Listener::Implementation::State
{
public:
  State(Contact& contact, Handler handler, std::byte* mailboxes)
    : Silence(PeerTimeout())
    , Callbacks(std::move(handler))
    , HasBoxes(mailboxes != nullptr)
    , Boxes(mailboxes)
  {
    const KeyPair server = KeyPair::New();
    const KeyPair client = KeyPair::New();
    this->Keys->Admit(client.Public);
    const SignalsBlocked quiet;
    try
    {
      this->Context = std::make_unique<zmq::context_t>(1);
      this->Gate = std::make_unique<ZapHandler>(*this->Context, this->Keys);
      this->Router = std::make_unique<zmq::socket_t>(*this->Context, zmq::socket_type::router);
      this->Router->set(zmq::sockopt::linger, 0);
      this->Router->set(zmq::sockopt::router_mandatory, true);
      this->Router->set(zmq::sockopt::router_handover, true);
      this->Router->set(zmq::sockopt::curve_server, true);
      this->Router->set(zmq::sockopt::curve_secretkey, server.Secret);
      this->Router->set(zmq::sockopt::zap_domain, "dsm");
      this->Router->set(zmq::sockopt::maxmsgsize, LargestRequest);
      this->Router->set(zmq::sockopt::rcvhwm, MostUnread);
      this->Router->set(zmq::sockopt::sndhwm, MostUnsent);
      this->Events =
        std::make_unique<SocketEvents>(*this->Context, *this->Router, ZMQ_EVENT_DISCONNECTED);
      this->Router->bind("tcp://*:*");
      const std::string bound = this->Router->get(zmq::sockopt::last_endpoint);
      const std::string port = bound.substr(bound.rfind(':') + 1);
      contact.Endpoints = { "tcp://127.0.0.1:" + port };
      for (const std::string& address : OwnAddresses())
      {
        contact.Endpoints.push_back(fmt::format("tcp://{}:{}", address, port));
      }
    }
    catch (const zmq::error_t& error)
    {
      throw Error(Fault::System, "cannot listen for simulations on a TCP port: {}", error.what());
    }
    contact.ServerPublicKey = server.Public;
    contact.ClientPublicKey = client.Public;
    contact.ClientSecretKey = client.Secret;
  }

  ~State() { this->Close(); }

  // In the order ZeroMQ asks for. Waits for what is still to be sent, as long as the linger time.
  void Close()
  {
    this->Events.reset();
    this->Router.reset();
    this->Gate.reset();
    this->Context.reset();
  }

  // ---- Called by any thread.

  // `name`: of the event, or of what is answered.
  void Post(const PeerId& peer, const Envelope& message, const std::string& name)
  {
    Bytes frame = EncodeEnvelope(message);
    this->Count(name, &MessageCount::Sent);
    if (BoxedRequest* asked = BeingHandled; asked && !asked->Over && asked->Peer == peer)
    {
      asked->Over = true;
      if (message.What != Envelope::Kind::Event && message.Id == asked->Id)
      {
        if (asked->Box.Answer(frame))
        {
          return;
        }
      }
      else
      {
        asked->Box.Defer();
      }
    }
    {
      const std::lock_guard<std::mutex> lock(this->Guard);
      this->Outgoing.emplace_back(peer, std::move(frame));
    }
    // The listener's own thread sends behind each message and each tick.
    if (std::this_thread::get_id() != this->Own.load(std::memory_order_relaxed))
    {
      this->Wake.Signal();
    }
  }

  void PostEvent(const PeerId& peer, const char* name, Bytes body)
  {
    this->Post(peer, Event(name, std::move(body)), name);
  }

  void PostError(const RequestId& request, const std::exception& error)
  {
    if (request.Id == 0)
    {
      Log().warn("\"{}\" failed: {}", request.Name, error.what());
      return;
    }
    this->Post(request.Peer,
      { Envelope::Kind::Refusal, {}, request.Id, {}, Error::From(error).GetFault(), error.what() },
      request.Name);
  }

  std::vector<MessageCount> Traffic()
  {
    const std::lock_guard<std::mutex> lock(this->Guard);
    std::vector<MessageCount> all;
    all.reserve(this->Counts.size());
    for (const auto& [name, count] : this->Counts)
    {
      all.push_back({ name, count.Received, count.Sent });
    }
    return all;
  }

  std::optional<Mailboxes::Given> GiveMailbox(const RequestId& request, std::uint64_t spare)
  {
    return this->Boxes.Give(request, spare);
  }

  void TickBy(Clock::time_point moment)
  {
    {
      const std::lock_guard<std::mutex> lock(this->Guard);
      this->Alarm = std::min(this->Alarm, moment);
    }
    // The listener's own thread looks for it before it waits.
    if (std::this_thread::get_id() != this->Own.load(std::memory_order_relaxed))
    {
      this->Wake.Signal();
    }
  }

  void Admit(const std::string& key) { this->Keys->Admit(key); }

  void Withdraw(const std::string& key)
  {
    this->Keys->Withdraw(key);
    {
      const std::lock_guard<std::mutex> lock(this->Guard);
      this->Withdrawn.push_back(key);
    }
    this->Wake.Signal();
  }

  void Stop()
  {
    this->Stopping = true;
    this->Wake.Signal();
    this->Boxes.Wake();
  }

  // Waits for the callback that is running. From then on there is none, should the thread live on.
  void Disconnect()
  {
    const std::lock_guard lock(this->Calling);
    this->Connected = false;
  }

  // ---- The thread.

  void Run()
  {
    this->Own.store(std::this_thread::get_id(), std::memory_order_relaxed);
    const auto interval = this->BetweenTicks();
    auto nextTick = Clock::now() + interval;
    auto lastRound = Clock::now();
    while (!this->Stopping)
    {
      try
      {
        nextTick = std::min(nextTick, this->TakeAlarm());
        this->Wait(nextTick);
        const auto now = Clock::now();
        if (now - lastRound > this->Silence / 2)
        {
          this->Peers.ExtendDeadlines(now);
        }
        lastRound = now;
        this->Gate->Answer();
        this->EndWithdrawn();
        this->ReceiveSome();
        this->NoteDisconnected();
        this->SendBehind();
        this->SendOutgoing();
        if (now >= nextTick)
        {
          nextTick = now + interval;
          this->DropLost(now);
          this->Guarded("a tick", [this] { this->Tick(); });
          Log().ReportOmitted();
          this->SendOutgoing();
        }
      }
      catch (const std::exception& error)
      {
        // One bad round must not end a server; a lasting fault shows in the log, ten times a second
        // at most.
        Log().error("the control channel's listener: {}", error.what());
        std::this_thread::sleep_until(nextTick);
      }
    }
    this->SayGoodbye();
    this->Close();
  }

  // ---- The thread of the mailboxes.

  void ServeBoxes()
  {
    while (this->HasBoxes && !this->Stopping)
    {
      bool served = false;
      {
        // Once it is disconnected, the memory may go.
        const std::lock_guard lock(this->Calling);
        if (!this->Connected)
        {
          return;
        }
        this->Guarded("a mailbox",
          [&]
          {
            const auto request = this->Boxes.Take();
            served = request.has_value();
            if (served)
            {
              this->Serve(*request);
            }
          });
      }
      if (!served)
      {
        this->Boxes.Await(BetweenBells);
      }
    }
  }

private:
  void Serve(const Mailboxes::Request& request)
  {
    const Bytes frame = request.Box.Request();
    const auto message = DecodeEnvelope(frame.data(), frame.size());
    if (!message || message->What != Envelope::Kind::Request)
    {
      Log().warn("a peer sent something that is no request");
      request.Box.Defer();
      return;
    }
    this->Count(message->Name, &MessageCount::Received);
    BoxedRequest asked{ request.Peer, message->Id, request.Box };
    BeingHandled = &asked;
    this->Handle({ request.Peer, message->Id, message->Name, request.Key }, *message);
    BeingHandled = nullptr;
    if (!asked.Over)
    {
      // It has to wait for something: whoever answers it does so from elsewhere.
      request.Box.Defer();
    }
  }

  // Peers choose the names: those that they make up count together.
  void Count(const std::string& name, std::uint64_t MessageCount::* which)
  {
    const std::lock_guard<std::mutex> lock(this->Guard);
    const bool isKnown = this->Counts.size() < MostNames || this->Counts.contains(name);
    ++(this->Counts[isKnown ? name : "others"].*which);
  }

  static Envelope Event(const char* name, Bytes body)
  {
    return { Envelope::Kind::Event, name, 0, std::move(body), {}, {} };
  }

  void Wait(Clock::time_point until)
  {
    zmq::pollitem_t items[] = { { this->Router->handle(), 0, ZMQ_POLLIN, 0 },
      this->Gate->PollItem(), this->Events->PollItem(),
      { nullptr, this->Wake.Descriptor(), ZMQ_POLLIN, 0 } };
    if (!this->Behind.empty())
    {
      until = std::min(until, Clock::now() + BetweenTries);
    }
    zmq::poll(items, 4,
      std::max(std::chrono::milliseconds(0),
        std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now())));
    if (items[3].revents != 0)
    {
      this->Wake.Drain();
    }
  }

  void ReceiveSome()
  {
    zmq::message_t sender;
    zmq::message_t frame;
    for (int i = 0; i < MessagesPerRound && !this->Stopping; ++i)
    {
      if (!this->Router->recv(sender, zmq::recv_flags::dontwait))
      {
        return;
      }
      if (!sender.more() || !this->Router->recv(frame, zmq::recv_flags::dontwait))
      {
        continue;
      }
      const PeerId id = sender.to_string();
      const int connection = zmq_msg_get(frame.handle(), ZMQ_SRCFD);
      const std::string key = ZapHandler::KeyOf(frame);
      const auto message = DecodeEnvelope(frame.data(), frame.size());
      const bool single = !frame.more();
      while (frame.more() && this->Router->recv(frame, zmq::recv_flags::dontwait))
      {
      }
      if (this->Keys->Ask(key) != AdmittedKeys::Answer::Admitted)
      {
        // Was told that it is withdrawn, and sends all the same. When it connects again, it is
        // refused.
        shutdown(connection, SHUT_RDWR);
        continue;
      }
      if (!message || !single || message->What != Envelope::Kind::Request)
      {
        Log().warn("a peer sent something that is no request");
        continue;
      }
      this->Dispatch({ id, message->Id, message->Name, key }, connection, *message);
      this->SendOutgoing();
    }
  }

  void Dispatch(const RequestId& request, int connection, const Envelope& message)
  {
    const PeerId& id = request.Peer;
    const auto standing = this->Peers.Received(id, connection, request.Key, Clock::now());
    if (standing == PeerTable::Standing::Foreign)
    {
      Log().warn("a peer sent a message in another's name: it was ignored");
      return;
    }
    this->Count(message.Name, &MessageCount::Received);
    if (message.Name == "bye")
    {
      this->ReportGone(id, this->Peers.Remove(id), false);
      return;
    }
    if (standing == PeerTable::Standing::Lost)
    {
      this->PostEvent(id, "forgotten", {});
      return;
    }
    if (message.Name == "ping")
    {
      this->PostEvent(id, "pong", {});
      return;
    }
    this->Peers.Announce(id);
    this->Handle(request, message);
  }

  void Handle(const RequestId& request, const Envelope& message)
  {
    const std::lock_guard lock(this->Calling);
    if (!this->Connected || !this->Callbacks.Received)
    {
      return;
    }
    try
    {
      this->Callbacks.Received(request, message);
    }
    catch (const std::exception& error)
    {
      Log().debug("\"{}\" failed: {}", message.Name, error.what());
      this->PostError(request, error);
    }
  }

  void SendOutgoing()
  {
    std::deque<std::pair<PeerId, Bytes>> messages;
    {
      const std::lock_guard<std::mutex> lock(this->Guard);
      messages.swap(this->Outgoing);
    }
    for (const auto& [peer, frame] : messages)
    {
      this->SendNow(peer, frame);
    }
  }

  void SendNow(const PeerId& peer, const Bytes& frame)
  {
    if (!this->Behind.contains(peer) && this->TrySend(peer, frame))
    {
      return;
    }
    auto& behind = this->Behind[peer];
    if (behind.size() < MostBehind)
    {
      behind.push_back(frame);
    }
    else
    {
      Log().warn("peer {} reads nothing: a message to it was dropped", peer);
    }
  }

  void SendBehind()
  {
    std::erase_if(this->Behind,
      [this](auto& waiting)
      {
        auto& [peer, frames] = waiting;
        while (!frames.empty() && this->TrySend(peer, frames.front()))
        {
          frames.pop_front();
        }
        return frames.empty();
      });
  }

  // False where the peer has not read enough of what it was sent before.
  bool TrySend(const PeerId& peer, const Bytes& frame)
  {
    try
    {
      const bool begun =
        this->Router->send(zmq::buffer(peer), zmq::send_flags::sndmore | zmq::send_flags::dontwait)
          .has_value();
      if (begun)
      {
        [[maybe_unused]] const auto sent =
          this->Router->send(zmq::buffer(frame), zmq::send_flags::dontwait);
      }
      return begun;
    }
    catch (const zmq::error_t& error)
    {
      Log().debug("a message to peer {} was dropped: {}", peer, error.what());
      return true;
    }
  }

  // Their owner wants them to be heard no more.
  void EndWithdrawn()
  {
    std::vector<std::string> keys;
    {
      const std::lock_guard<std::mutex> lock(this->Guard);
      keys.swap(this->Withdrawn);
    }
    const Bytes withdrawn = EncodeEnvelope(Event("withdrawn", {}));
    for (const std::string& key : keys)
    {
      for (const auto& [id, announced] : this->Peers.TakeOf(key))
      {
        this->SendNow(id, withdrawn);
        this->ReportGone(id, announced, true);
      }
    }
  }

  void NoteDisconnected()
  {
    while (const auto event = this->Events->Next())
    {
      this->Peers.Closed(static_cast<int>(event->Value), Clock::now());
    }
  }

  // By the time at which this round began: this process may have been stopped since, and the peers'
  // messages be unread.
  void DropLost(Clock::time_point now)
  {
    for (const auto& [id, announced] :
      this->Peers.TakeLost(now, [this](const PeerId& id) { return this->HasEnded(id); }))
    {
      this->ReportGone(id, announced, true);
    }
  }

  bool HasEnded(const PeerId& id)
  {
    const std::lock_guard lock(this->Calling);
    return this->Connected && this->Callbacks.HasEnded && this->Callbacks.HasEnded(id);
  }

  void ReportGone(const PeerId& id, bool announced, bool lost)
  {
    this->Behind.erase(id);
    this->Boxes.Gone(id, lost);
    const std::lock_guard lock(this->Calling);
    if (announced && this->Connected && this->Callbacks.Gone)
    {
      this->Guarded("a peer's end", [&] { this->Callbacks.Gone(id, lost); });
    }
  }

  Clock::duration BetweenTicks() const
  {
    return this->Callbacks.Tick
      ? TickInterval
      : std::chrono::duration_cast<Clock::duration>(
          std::clamp(this->Silence / LooksForLost, Seconds(TickInterval), LongestTick));
  }

  Clock::time_point TakeAlarm()
  {
    const std::lock_guard<std::mutex> lock(this->Guard);
    return std::exchange(this->Alarm, Clock::time_point::max());
  }

  void Tick()
  {
    const std::lock_guard lock(this->Calling);
    if (this->Connected && this->Callbacks.Tick)
    {
      this->Callbacks.Tick();
    }
  }

  template <typename Function>
  void Guarded(const char* what, Function&& function)
  {
    try
    {
      function();
    }
    catch (const std::exception& error)
    {
      Log().error("handling {} failed: {}", what, error.what());
    }
  }

  void SayGoodbye()
  {
    this->SendOutgoing();
    const Bytes stopping = EncodeEnvelope(Event("stopping", {}));
    for (const PeerId& id : this->Peers.All())
    {
      this->SendNow(id, stopping);
    }
    this->Router->set(zmq::sockopt::linger, static_cast<int>(Linger.count()));
  }

  const Seconds Silence;
  std::recursive_mutex Calling; // held while a callback runs, which may end the listener
  bool Connected = true;
  const Handler Callbacks;
  const bool HasBoxes;
  Mailboxes Boxes;
  Wakeup Wake;
  std::atomic<bool> Stopping = false;
  std::atomic<std::thread::id> Own; ///< the listener's thread

  const std::shared_ptr<AdmittedKeys> Keys = std::make_shared<AdmittedKeys>();
  std::unique_ptr<zmq::context_t> Context;
  std::unique_ptr<ZapHandler> Gate;
  std::unique_ptr<zmq::socket_t> Router;
  std::unique_ptr<SocketEvents> Events;
  PeerTable Peers{ this->Silence };
  std::map<PeerId, std::deque<Bytes>> Behind; ///< what peers could not take yet

  std::mutex Guard; // for those below
  std::deque<std::pair<PeerId, Bytes>> Outgoing;
  std::map<std::string, MessageCount> Counts;
  std::vector<std::string> Withdrawn;                 ///< keys whose peers are still to be told
  Clock::time_point Alarm = Clock::time_point::max(); ///< a tick is wanted by then
};

void Listener::Implementation::RunThread(const std::shared_ptr<State>& state)
{
  state->Run();
}

void Listener::Implementation::RunBoxes(const std::shared_ptr<State>& state)
{
  state->ServeBoxes();
}

Listener::Listener(Contact& contact, Handler handler, std::byte* mailboxes)
  : Self(std::make_unique<Implementation>(
      std::make_shared<Implementation::State>(contact, std::move(handler), mailboxes)))
{
}

Listener::~Listener()
{
  if (this->Self->Thread.Forked())
  {
    // The thread and its sockets are the parent's; touching their copies could block for ever.
    [[maybe_unused]] auto* abandoned = this->Self.release();
    return;
  }
  this->Self->Shared->Stop();
  this->Self->Thread.Join(LongestEnd);
  this->Self->Boxes.Join(LongestEnd);
  this->Self->Shared->Disconnect();
}

std::optional<Mailboxes::Given> Listener::GiveMailbox(const RequestId& request, std::uint64_t spare)
{
  return this->Self->Shared->GiveMailbox(request, spare);
}

void Listener::ReplyBytes(const RequestId& request, Bytes reply)
{
  if (!this->Self->Thread.Forked() && request.Id != 0)
  {
    this->Self->Shared->Post(request.Peer,
      { Envelope::Kind::Reply, {}, request.Id, std::move(reply), {}, {} }, request.Name);
  }
}

void Listener::Refuse(const RequestId& request, const std::exception& error)
{
  if (!this->Self->Thread.Forked())
  {
    this->Self->Shared->PostError(request, error);
  }
}

void Listener::TickBy(Clock::time_point moment)
{
  if (!this->Self->Thread.Forked())
  {
    this->Self->Shared->TickBy(moment);
  }
}

std::vector<Listener::MessageCount> Listener::Traffic() const
{
  return this->Self->Shared->Traffic();
}

void Listener::Admit(const std::string& key)
{
  this->Self->Shared->Admit(key);
}

void Listener::Withdraw(const std::string& key)
{
  this->Self->Shared->Withdraw(key);
}

void Listener::SendBytes(const PeerId& peer, const char* name, Bytes event)
{
  if (!this->Self->Thread.Forked())
  {
    this->Self->Shared->PostEvent(peer, name, std::move(event));
  }
}

}
