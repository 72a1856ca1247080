// SPDX-License-Identifier: BSD-3-Clause
// The control channel when all goes well.
#include "Control/Channel.h"

#include "ControlFixture.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace
{

using namespace dsm;
using namespace dsm::testing;

struct RequestEvent
{
  static constexpr const char* Name = "event";
  using Reply = Nothing;
};

struct RequestThrow
{
  static constexpr const char* Name = "throw";
  using Reply = Nothing;

  std::string File;
};

struct RequestForeignError
{
  static constexpr const char* Name = "foreign";
  using Reply = Nothing;
};

struct RequestDelayed
{
  static constexpr const char* Name = "later";
  using Reply = TestEvent;

  std::int64_t Number = 0;
};

void Describe(Fields&, RequestEvent&) {}
void Describe(Fields& fields, RequestThrow& ask)
{
  fields("File", ask.File);
}
void Describe(Fields&, RequestForeignError&) {}
void Describe(Fields& fields, RequestDelayed& ask)
{
  fields("Number", ask.Number);
}

// A server with a few answers, and a record of what happened to it.
class Control : public ::testing::Test
{
protected:
  struct Seen
  {
    std::vector<Envelope> Messages;
    std::set<PeerId> Peers;
    std::map<PeerId, bool> Gone;
    int Ticks = 0;
    std::vector<std::pair<RequestId, RequestDelayed>> Kept; // requests to answer later
  };

  void SetUp() override
  {
    this->Server = std::make_unique<TestServer>(
      this->Address, [this](Listener& server, const RequestId& request, const Envelope& message)
      { this->React(server, request, message); }, [this](const PeerId& peer, bool lost)
      { this->Record.Change([&](Seen& seen) { seen.Gone[peer] = lost; }); },
      [this] { this->Record.Change([](Seen& seen) { ++seen.Ticks; }); });
  }

  void React(Listener& server, const RequestId& request, const Envelope& message)
  {
    this->Record.Change(
      [&](Seen& seen)
      {
        seen.Messages.push_back(message);
        seen.Peers.insert(request.Peer);
        if (Is<RequestDelayed>(message))
        {
          seen.Kept.emplace_back(request, Content<RequestDelayed>(message));
        }
      });
    if (Is<EchoRequest>(message))
    {
      server.Reply(request, EchoReply{ Content<EchoRequest>(message).Say });
    }
    else if (Is<RequestEvent>(message))
    {
      server.Send(request.Peer, TestEvent{ 7 });
      server.Reply(request, Nothing());
    }
    else if (Is<RequestThrow>(message))
    {
      throw Error(Fault::RingFull, "no room for \"{}\"", Content<RequestThrow>(message).File);
    }
    else if (Is<RequestForeignError>(message))
    {
      throw std::out_of_range("not one of ours");
    }
  }

  Deadline Soon() { return Deadline(Seconds(30)); }

  Contact Address = ContactOfThisProcess();
  Watched<Seen> Record;
  std::unique_ptr<TestServer> Server;
};

TEST_F(Control, AnswersRequests)
{
  Channel channel(this->Address, "run.dsm");
  EXPECT_EQ(channel.Request(EchoRequest{ "1, two, 3.5" }, this->Soon()).Said, "1, two, 3.5");
  EXPECT_TRUE(channel.Alive());
  EXPECT_EQ(channel.ContactPath(), (std::filesystem::current_path() / "run.dsm").string());
}

TEST_F(Control, ConnectsQuickly)
{
  const auto connect = [&]
  {
    const auto begin = Clock::now();
    Channel channel(this->Address, "run.dsm");
    channel.Request(EchoRequest{ "1" }, this->Soon());
    return SecondsSince(begin);
  };
  EXPECT_LT(Quickest(0.5, connect), 0.5);
}

TEST_F(Control, ListsTheLoopbackFirstAndMakesKeys)
{
  ASSERT_FALSE(this->Address.Endpoints.empty());
  EXPECT_EQ(this->Address.Endpoints.front().rfind("tcp://127.0.0.1:", 0), 0u);
  EXPECT_EQ(this->Address.ServerPublicKey.size(), 40u);
  EXPECT_EQ(this->Address.ClientPublicKey.size(), 40u);
  EXPECT_EQ(this->Address.ClientSecretKey.View().size(), 40u);
}

TEST_F(Control, AnswersManyThreadsOfManyPeersEachWithItsOwn)
{
  std::vector<std::unique_ptr<Channel>> channels;
  channels.reserve(3);
  for (int c = 0; c < 3; ++c)
  {
    channels.push_back(std::make_unique<Channel>(this->Address, "run.dsm"));
  }
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  threads.reserve(9);
  for (int t = 0; t < 9; ++t)
  {
    threads.emplace_back(
      [&, t]
      {
        for (int i = 0; i < 100; ++i)
        {
          const std::string said = std::to_string(1000 * t + i);
          wrong += channels[t % 3]->Request(EchoRequest{ said }, this->Soon()).Said != said;
        }
      });
  }
  for (std::thread& thread : threads)
  {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(this->Record.Get().Peers.size(), 3u);
}

TEST_F(Control, ErrorsArriveWithTheirKindAndText)
{
  Channel channel(this->Address, "run.dsm");
  EXPECT_EQ(
    TextOf(Fault::RingFull, [&] { channel.Request(RequestThrow{ "out.h5" }, this->Soon()); }),
    "no room for \"out.h5\"");
  EXPECT_EQ(TextOf(Fault::System, [&] { channel.Request(RequestForeignError(), this->Soon()); }),
    "not one of ours");
  EXPECT_TRUE(channel.Alive());
  channel.Request(EchoRequest{ "1" }, this->Soon());
}

TEST_F(Control, EventsReachTheHandler)
{
  Watched<std::vector<Envelope>> events;
  Channel channel(this->Address, "run.dsm", [&](const Envelope& event)
    { events.Change([&](std::vector<Envelope>& seen) { seen.push_back(event); }); });
  channel.Request(RequestEvent(), this->Soon());
  ASSERT_TRUE(events.WaitFor([](const auto& seen) { return !seen.empty(); }));
  EXPECT_EQ(Content<TestEvent>(events.Get().front()).Number, 7);
}

// A host has hundreds of things to do when a program with many images dies, and none may be lost.
TEST_F(Control, WhoReadsSlowlyMissesNothing)
{
  constexpr std::int64_t many = 3000;
  const std::string content(50000, 'x');
  std::unique_ptr<TestServer> server;
  Contact contact = ContactOfThisProcess();
  server = std::make_unique<TestServer>(contact,
    [&](Listener& listener, const RequestId& request, const Envelope&)
    {
      for (std::int64_t number = 0; number < many; ++number)
      {
        listener.Send(request.Peer, EchoRequest{ std::to_string(number) + " " + content });
      }
      listener.Reply(request, EchoReply());
    });
  std::atomic<bool> go{ false };
  Watched<std::vector<std::int64_t>> seen;
  Channel channel(contact, "run.dsm",
    [&](const Envelope& event)
    {
      while (!go)
      {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      const auto number = std::stoll(Content<EchoRequest>(event).Say);
      seen.Change([&](std::vector<std::int64_t>& numbers) { numbers.push_back(number); });
    });
  channel.Notify(EchoRequest{ "flood" });
  std::this_thread::sleep_for(std::chrono::milliseconds(500)); // in which it reads nothing
  go = true;
  ASSERT_TRUE(seen.WaitFor(
    [](const auto& numbers) { return numbers.size() == static_cast<std::size_t>(many); }, 200))
    << seen.Get().size() << " of " << many;
  const auto numbers = seen.Get();
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
}

TEST_F(Control, AHandlerThatThrowsHarmsNobody)
{
  Channel channel(
    this->Address, "run.dsm", [](const Envelope&) { throw std::runtime_error("as a test"); });
  channel.Request(RequestEvent(), this->Soon());
  channel.Request(EchoRequest{ "1" }, this->Soon());
}

TEST_F(Control, AnswersMayComeLaterOutOfOrderAndFromAnotherThread)
{
  Channel channel(this->Address, "run.dsm");
  Watched<std::vector<std::int64_t>> order;
  std::vector<std::thread> askers;
  askers.reserve(3);
  for (int i = 0; i < 3; ++i)
  {
    askers.emplace_back(
      [&, i]
      {
        const auto number = channel.Request(RequestDelayed{ i }, this->Soon()).Number;
        order.Change([&](auto& seen) { seen.push_back(number); });
      });
  }
  ASSERT_TRUE(this->Record.WaitFor([](const Seen& seen) { return seen.Kept.size() == 3; }));
  channel.Request(EchoRequest{ "in between" }, this->Soon());
  EXPECT_TRUE(order.Get().empty());
  const auto kept = this->Record.Get().Kept;
  for (int i = 2; i >= 0; --i)
  {
    for (const auto& [request, message] : kept)
    {
      if (message.Number == i)
      {
        (*this->Server)->Reply(request, TestEvent{ i });
      }
    }
    const std::size_t answered = 3 - static_cast<std::size_t>(i);
    ASSERT_TRUE(order.WaitFor([&](const auto& seen) { return seen.size() == answered; }));
  }
  EXPECT_EQ(order.Get(), (std::vector<std::int64_t>{ 2, 1, 0 }));
  for (std::thread& asker : askers)
  {
    asker.join();
  }
}

// What it grants can be given back.
TEST_F(Control, AnAnswerThatNobodyWaitsForAnyMoreIsHandedOn)
{
  Watched<std::int64_t> late;
  Channel channel(this->Address, "run.dsm");
  channel.Request(EchoRequest{ "is there" }, this->Soon());
  TextOf(Fault::TimedOut,
    [&]
    {
      channel.Request(RequestDelayed{ 5 }, Deadline(Seconds(0.2)), [&](const TestEvent& reply)
        { late.Change([&](std::int64_t& number) { number = reply.Number; }); });
    });
  ASSERT_TRUE(this->Record.WaitFor([](const Seen& seen) { return seen.Kept.size() == 1; }));
  const auto [request, message] = this->Record.Get().Kept.front();
  (*this->Server)->Reply(request, TestEvent{ message.Number });
  EXPECT_TRUE(late.WaitFor([](std::int64_t number) { return number == 5; }));
}

TEST_F(Control, RefusalsMayComeLaterToo)
{
  Channel channel(this->Address, "run.dsm");
  std::string text;
  std::thread asker([&]
    { text = TextOf(Fault::Refused, [&] { channel.Request(RequestDelayed(), this->Soon()); }); });
  ASSERT_TRUE(this->Record.WaitFor([](const Seen& seen) { return seen.Kept.size() == 1; }));
  const auto [request, message] = this->Record.Get().Kept.front();
  (*this->Server)->Refuse(request, Error(Fault::Refused, "no such snapshot"));
  asker.join();
  EXPECT_EQ(text, "no such snapshot");
}

TEST_F(Control, NotificationsNeedNoAnswerAndKeepTheirOrder)
{
  Channel channel(this->Address, "run.dsm");
  for (int i = 0; i < 50; ++i)
  {
    channel.Notify(TestEvent{ i });
  }
  channel.Request(EchoRequest{ "end" }, this->Soon());
  const auto messages = this->Record.Get().Messages;
  ASSERT_EQ(messages.size(), 51u);
  for (int i = 0; i < 50; ++i)
  {
    EXPECT_EQ(Content<TestEvent>(messages[i]).Number, i);
    EXPECT_EQ(messages[i].Id, 0u);
  }
}

// The thread looks for them by itself for a while, and is woken where it does not.
TEST_F(Control, WhatMayWaitArrivesByItselfAndInOrder)
{
  const ShortPeerTimeout longer("300"); // or the next heartbeat could bring it
  Channel channel(this->Address, "run.dsm");
  channel.Request(EchoRequest{ "begin" }, this->Soon());
  for (int i = 0; i < 6; ++i)
  {
    if (i % 2 == 1)
    {
      channel.Notify(TestEvent{ i });
    }
    else
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(40 * i));
      channel.ComposeSoon([i] { return std::vector{ Channel::Notice::Of(TestEvent{ i }) }; });
      const auto there = [&](const Seen& seen)
      { return seen.Messages.size() == static_cast<std::size_t>(i) + 2; };
      ASSERT_TRUE(this->Record.WaitFor(there)) << i;
    }
  }
  channel.Request(EchoRequest{ "end" }, this->Soon());
  const auto messages = this->Record.Get().Messages;
  ASSERT_EQ(messages.size(), 8u);
  for (int i = 0; i < 6; ++i)
  {
    EXPECT_EQ(Content<TestEvent>(messages[i + 1]).Number, i);
  }
}

TEST_F(Control, AnEndedChannelSaysGoodbye)
{
  {
    Channel channel(this->Address, "run.dsm");
    channel.Notify(TestEvent());
    channel.Request(EchoRequest{ "1" }, this->Soon());
  }
  ASSERT_TRUE(this->Record.WaitFor([](const Seen& seen) { return seen.Gone.size() == 1; }));
  const auto seen = this->Record.Get();
  EXPECT_EQ(seen.Gone.begin()->first, *seen.Peers.begin());
  EXPECT_FALSE(seen.Gone.begin()->second) << "a goodbye is no loss";
}

TEST_F(Control, TheClockTicks)
{
  EXPECT_TRUE(this->Record.WaitFor([](const Seen& seen) { return seen.Ticks >= 5; }));
}

TEST_F(Control, LargeMessagesPass)
{
  Channel channel(this->Address, "run.dsm");
  const std::string text(3 << 20, 'x');
  EXPECT_EQ(channel.Request(EchoRequest{ text }, this->Soon()).Said, text);
}

TEST_F(Control, AChannelMayEndInItsOwnHandler)
{
  Watched<bool> ended;
  std::optional<Channel> channel;
  channel.emplace(this->Address, "run.dsm",
    [&](const Envelope&)
    {
      channel.reset();
      ended.Change([](bool& value) { value = true; });
    });
  channel->Notify(RequestEvent());
  EXPECT_TRUE(ended.WaitFor([](bool value) { return value; }));
  ASSERT_TRUE(this->Record.WaitFor([](const Seen& seen) { return seen.Gone.size() == 1; }));
}

// What the handler uses may go right behind the channel.
TEST_F(Control, NoHandlerRunsOnceItsChannelHasEnded)
{
  std::atomic<bool> begun{ false };
  std::atomic<bool> ended{ false };
  {
    Channel channel(this->Address, "test.dsm",
      [&](const Envelope& event)
      {
        if (Is<TestEvent>(event) && !begun.exchange(true))
        {
          std::this_thread::sleep_for(std::chrono::milliseconds(900));
          ended = true;
        }
      });
    channel.Request(RequestEvent(), this->Soon());
    while (!begun)
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  EXPECT_TRUE(ended);
}

TEST_F(Control, ThreadsTakeNoSignals)
{
  static std::atomic<bool> elsewhere;
  static std::thread::id mine;
  elsewhere = false;
  mine = std::this_thread::get_id();
  Channel channel(this->Address, "run.dsm");
  channel.Request(EchoRequest{ "1" }, this->Soon());
  struct sigaction before = {};
  struct sigaction action = {};
  action.sa_handler = [](int)
  {
    if (std::this_thread::get_id() != mine)
    {
      elsewhere = true;
    }
  };
  sigaction(SIGUSR1, &action, &before);
  sigset_t set;
  sigset_t old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  kill(getpid(), SIGUSR1); // any thread that does not block it would take it now
  sigset_t pending;
  sigemptyset(&pending);
  EXPECT_EQ(sigpending(&pending), 0);
  EXPECT_TRUE(sigismember(&pending, SIGUSR1));
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  EXPECT_FALSE(elsewhere);
  sigaction(SIGUSR1, &before, nullptr);
}

}
