// SPDX-License-Identifier: BSD-3-Clause
// Requests that go by shared memory: what comes of them whatever the two sides do, and that their
// order with what goes over the channel is kept.
#include "Control/Mailboxes.h"
#include "ControlFixture.h"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace
{

using namespace dsm;
using namespace dsm::testing;

/// What a server and its peers map.
class SharedBytes
{
public:
  SharedBytes()
    : Place(static_cast<std::byte*>(
        mmap(nullptr, Mailboxes::Size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)))
  {
  }
  ~SharedBytes() { munmap(this->Place, Mailboxes::Size); }
  SharedBytes(const SharedBytes&) = delete;
  SharedBytes& operator=(const SharedBytes&) = delete;

  std::byte* Get() const { return this->Place; }

private:
  std::byte* Place;
};

Bytes BytesOf(const std::string& text)
{
  return { text.begin(), text.end() };
}

constexpr std::uint64_t Key = 77;

TEST(Mailbox, ARequestAndItsAnswer)
{
  const SharedBytes memory;
  const Mailbox box = Mailboxes::At(memory.Get(), 3);
  ASSERT_TRUE(box.Ask(Key, BytesOf("a question")));
  EXPECT_FALSE(box.Ask(Key, BytesOf("another"))) << "one at a time";
  EXPECT_EQ(Doorbell(memory.Get()).Count(), 1u);
  EXPECT_FALSE(box.Take(Key + 1)) << "from somebody else";
  ASSERT_TRUE(box.Take(Key));
  EXPECT_FALSE(box.Take(Key)) << "twice";
  EXPECT_EQ(box.Request(), BytesOf("a question"));
  ASSERT_TRUE(box.Answer(BytesOf("an answer")));
  EXPECT_EQ(box.Now(), Mailbox::State::Answered);
  EXPECT_EQ(box.TakeAnswer(), BytesOf("an answer"));
  EXPECT_TRUE(box.Ask(Key, BytesOf("the next"))) << "it is free again";
}

TEST(Mailbox, WhatIsTooLongGoesElsewhere)
{
  const SharedBytes memory;
  const Mailbox box = Mailboxes::At(memory.Get(), 0);
  EXPECT_FALSE(box.Ask(Key, Bytes(Mailbox::Capacity + 1)));
  ASSERT_TRUE(box.Ask(Key, Bytes(Mailbox::Capacity, 'x')));
  ASSERT_TRUE(box.Take(Key));
  EXPECT_EQ(box.Request(), Bytes(Mailbox::Capacity, 'x'));
  EXPECT_FALSE(box.Answer(Bytes(Mailbox::Capacity + 1)));
  EXPECT_EQ(box.Now(), Mailbox::State::Deferred);
  box.Reset();
  EXPECT_EQ(box.Now(), Mailbox::State::Idle);
}

// Whoever comes first, the other sees it.
TEST(Mailbox, GivingUpIsAgreedOn)
{
  const SharedBytes memory;
  const Mailbox box = Mailboxes::At(memory.Get(), 0);
  ASSERT_TRUE(box.Ask(Key, BytesOf("question")));
  EXPECT_EQ(box.Withdraw(), Mailbox::State::Idle);
  EXPECT_FALSE(box.Take(Key)) << "nobody hears what was withdrawn";

  ASSERT_TRUE(box.Ask(Key, BytesOf("question")));
  ASSERT_TRUE(box.Take(Key));
  EXPECT_EQ(box.Withdraw(), Mailbox::State::GivenUp);
  EXPECT_FALSE(box.Ask(Key, BytesOf("the next"))) << "the server may still be writing here";
  EXPECT_FALSE(box.Answer(BytesOf("answer"))) << "it goes over the channel";
  EXPECT_EQ(box.Now(), Mailbox::State::Idle);

  ASSERT_TRUE(box.Ask(Key, BytesOf("question")));
  ASSERT_TRUE(box.Take(Key));
  ASSERT_TRUE(box.Answer(BytesOf("answer")));
  EXPECT_EQ(box.Withdraw(), Mailbox::State::Answered);
}

// Between processes, and as many as there are: none is lost, none is heard twice.
TEST(Mailbox, ManyRequestsOfManyProcesses)
{
  constexpr int processes = 4;
  constexpr int each = 2000;
  const SharedBytes memory;
  Mailboxes boxes(memory.Get());
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process)
  {
    const auto given = boxes.Give({ std::to_string(process), 1, "", "" });
    ASSERT_TRUE(given);
    const pid_t child = fork();
    if (child == 0)
    {
      const Mailbox box = Mailboxes::At(memory.Get(), given->Number);
      for (int i = 0; i < each; ++i)
      {
        const std::string text = std::to_string(process) + " " + std::to_string(i);
        if (!box.Ask(given->Key, BytesOf(text)))
        {
          _exit(1);
        }
        for (auto now = box.Now(); now != Mailbox::State::Answered; now = box.Now())
        {
          box.SleepWhile(now, std::chrono::seconds(10));
        }
        if (box.TakeAnswer() != BytesOf("answer to " + text))
        {
          _exit(2);
        }
      }
      _exit(0);
    }
    children.push_back(child);
  }
  std::set<std::string> heard;
  const Deadline limit(Seconds(60));
  while (heard.size() < std::size_t{ processes } * each && !limit.Expired())
  {
    if (const auto request = boxes.Take())
    {
      const Bytes text = request->Box.Request();
      const std::string said(text.begin(), text.end());
      ASSERT_TRUE(heard.insert(said).second) << said;
      ASSERT_EQ(said.substr(0, 1), request->Peer);
      ASSERT_TRUE(request->Box.Answer(BytesOf("answer to " + said)));
    }
    else
    {
      boxes.Await(std::chrono::seconds(1));
    }
  }
  EXPECT_EQ(heard.size(), static_cast<std::size_t>(processes * each));
  for (const pid_t child : children)
  {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

TEST(Mailbox, TheBoxOfOneThatWasLostIsNobodysAnyMore)
{
  const SharedBytes memory;
  Mailboxes boxes(memory.Get());
  const auto lost = boxes.Give({ "lost", 1, "", "" });
  EXPECT_EQ(boxes.Give({ "lost", 2, "", "" })->Number, lost->Number) << "one for each";
  boxes.Gone("lost", true);
  const Mailbox stale = Mailboxes::At(memory.Get(), lost->Number);
  ASSERT_TRUE(stale.Ask(lost->Key, BytesOf("am I still there?")));
  EXPECT_FALSE(boxes.Take());
  std::optional<Mailboxes::Given> last;
  for (std::uint64_t peer = 0; peer + 1 < Mailboxes::Count; ++peer)
  {
    last = boxes.Give({ "peer " + std::to_string(peer), 1, "", "" });
    ASSERT_TRUE(last);
    EXPECT_NE(last->Number, lost->Number);
  }
  EXPECT_FALSE(boxes.Give({ "one more", 1, "", "" }));
  boxes.Gone("peer 0", false);
  const auto next = boxes.Give({ "one more", 1, "", "" });
  ASSERT_TRUE(next);
  EXPECT_FALSE(Mailboxes::At(memory.Get(), next->Number).Take(last->Key));
}

TEST(Mailbox, SomeAreSparedForOthers)
{
  const SharedBytes memory;
  Mailboxes boxes(memory.Get());
  const std::uint64_t spare = Mailboxes::Count - 2;
  EXPECT_TRUE(boxes.Give({ "first", 1, "", "" }, spare));
  const auto second = boxes.Give({ "second", 1, "", "" }, spare);
  ASSERT_TRUE(second);
  EXPECT_FALSE(boxes.Give({ "third", 1, "", "" }, spare));
  EXPECT_EQ(boxes.Give({ "second", 2, "", "" }, spare)->Number, second->Number);
  EXPECT_TRUE(boxes.Give({ "third", 1, "", "" }));
  boxes.Gone("second", false);
  EXPECT_FALSE(boxes.Give({ "fourth", 1, "", "" }, spare));
}

/// A channel whose requests go by a mailbox, and the server of both.
class MailboxChannel : public ::testing::Test
{
protected:
  void SetUp() override
  {
    this->Server = std::make_unique<TestServer>(
      this->Address, [this](Listener& server, const RequestId& request, const Envelope& message)
      { this->React(server, request, message); }, std::function<void(const PeerId&, bool)>(),
      std::function<void()>(), this->Memory.Get());
    this->Link = std::make_unique<Channel>(this->Address, "run.dsm",
      [this](const Envelope&)
      {
        this->Heard.Change([](std::vector<std::string>& heard) { heard.emplace_back("event"); });
      });
    EXPECT_EQ(this->Say("first"), "first");
    ASSERT_TRUE(this->Given);
    this->Link->UseMailbox(
      Mailboxes::At(this->Memory.Get(), this->Given->Number), this->Given->Key, nullptr);
  }

  void React(Listener& server, const RequestId& request, const Envelope& message)
  {
    if (!this->Given)
    {
      this->Given = server.GiveMailbox(request, 0);
    }
    if (Is<TestEvent>(message))
    {
      this->Heard.Change([](std::vector<std::string>& heard) { heard.emplace_back("notice"); });
      return;
    }
    const auto asked = Content<EchoRequest>(message);
    this->Heard.Change([&](std::vector<std::string>& heard) { heard.push_back(asked.Say); });
    if (asked.Say == "refuse")
    {
      throw Error(Fault::RingFull, "no");
    }
    if (asked.Say == "event first")
    {
      server.Send(request.Peer, TestEvent{ 1 });
    }
    if (asked.Say == "later")
    {
      this->Late = std::thread([&server, request] { server.Reply(request, EchoReply{ "late" }); });
      return;
    }
    if (asked.Say == "sleep")
    {
      std::this_thread::sleep_for(Seconds(1));
    }
    if (asked.Say == "wait")
    {
      EXPECT_TRUE(this->GivenUp.WaitFor([](bool givenUp) { return givenUp; }));
    }
    server.Reply(request, EchoReply{ asked.Say == "long" ? std::string(10000, 'x') : asked.Say });
  }

  void TearDown() override
  {
    if (this->Late.joinable())
    {
      this->Late.join();
    }
  }

  std::string Say(const std::string& what, double limit = 20)
  {
    return this->Link->Request(EchoRequest{ what }, Deadline(Seconds(limit))).Said;
  }

  /// Whether what it does uses the mailbox.
  bool Rings(const std::function<void()>& work) const
  {
    const auto before = Doorbell(this->Memory.Get()).Count();
    work();
    return Doorbell(this->Memory.Get()).Count() != before;
  }

  SharedBytes Memory;
  Contact Address = ContactOfThisProcess();
  Watched<std::vector<std::string>> Heard;
  Watched<bool> GivenUp;
  std::optional<Mailboxes::Given> Given;
  std::thread Late;
  std::unique_ptr<TestServer> Server;
  std::unique_ptr<Channel> Link;
};

TEST_F(MailboxChannel, AnswersAndRefusals)
{
  EXPECT_TRUE(this->Rings([&] { EXPECT_EQ(this->Say("hello"), "hello"); }));
  EXPECT_TRUE(
    this->Rings([&] { EXPECT_EQ(TextOf(Fault::RingFull, [&] { this->Say("refuse"); }), "no"); }));
  EXPECT_EQ(this->Say("long"), std::string(10000, 'x')) << "over the channel";
  EXPECT_EQ(this->Say("later"), "late") << "by whoever answers";
  EXPECT_TRUE(this->Rings([&] { EXPECT_EQ(this->Say("again"), "again"); }));
}

TEST_F(MailboxChannel, WhatWasSentBeforeIsHeardBefore)
{
  for (int round = 0; round < 20; ++round)
  {
    this->Heard.Change([](std::vector<std::string>& heard) { heard.clear(); });
    this->Link->NotifyLater(
      [round] { return std::vector{ Channel::Notice::Of(TestEvent{ round }) }; });
    EXPECT_FALSE(this->Rings([&] { EXPECT_EQ(this->Say("behind"), "behind"); }));
    EXPECT_EQ(this->Heard.Get(), (std::vector<std::string>{ "notice", "behind" }));
    EXPECT_TRUE(this->Rings([&] { EXPECT_EQ(this->Say("next"), "next"); }));
  }
}

TEST_F(MailboxChannel, ANotificationGoesByTheMailboxAndIsHeardInItsPlace)
{
  for (int round = 0; round < 20; ++round)
  {
    this->Heard.Change([](std::vector<std::string>& heard) { heard.clear(); });
    EXPECT_EQ(this->Say("before"), "before");
    EXPECT_TRUE(this->Rings([&] { this->Link->Notify(TestEvent{ round }); }));
    EXPECT_EQ(this->Say("behind"), "behind");
    EXPECT_EQ(this->Heard.Get(), (std::vector<std::string>{ "before", "notice", "behind" }));
  }
}

TEST_F(MailboxChannel, ANotificationThatNobodyTakesGoesOverTheChannel)
{
  const SharedBytes unheard;
  this->Link->UseMailbox(Mailboxes::At(unheard.Get(), 0), Key, nullptr);
  this->Heard.Change([](std::vector<std::string>& heard) { heard.clear(); });
  this->Link->Notify(TestEvent{ 1 });
  EXPECT_EQ(this->Say("behind"), "behind");
  EXPECT_EQ(this->Heard.Get(), (std::vector<std::string>{ "notice", "behind" }));
}

TEST_F(MailboxChannel, AnEventThatWasSentBeforeTheAnswerComesBeforeIt)
{
  for (int round = 0; round < 20; ++round)
  {
    this->Heard.Change([](std::vector<std::string>& heard) { heard.clear(); });
    EXPECT_EQ(this->Say("event first"), "event first");
    EXPECT_EQ(this->Heard.Get(), (std::vector<std::string>{ "event first", "event" }));
  }
}

TEST_F(MailboxChannel, WhereNobodyLooksIntoItTheChannelIsUsed)
{
  const SharedBytes unheard;
  this->Link->UseMailbox(Mailboxes::At(unheard.Get(), 0), Key, nullptr);
  const auto begin = Clock::now();
  EXPECT_EQ(this->Say("hello"), "hello");
  EXPECT_LT(SecondsSince(begin), AtOnce);
}

TEST_F(MailboxChannel, WhoHasNoAnswerInTimeSaysSoAndGoesOn)
{
  EXPECT_THROW(this->Say("wait", 0.2), Error);
  this->GivenUp.Change([](bool& givenUp) { givenUp = true; });
  EXPECT_EQ(this->Say("hello"), "hello");
  EXPECT_TRUE(this->Rings([&] { EXPECT_EQ(this->Say("again"), "again"); }));
}

TEST_F(MailboxChannel, AServerThatEndsIsNoticedAtOnce)
{
  std::thread end(
    [&]
    {
      this->Heard.WaitFor([](const auto& heard) { return heard.back() == "sleep"; });
      this->Server->Stop();
    });
  const auto begin = Clock::now();
  EXPECT_ANY_THROW({
    this->Say("sleep");
    this->Say("more");
  });
  EXPECT_LT(SecondsSince(begin), AtOnce);
  end.join();
}

TEST_F(MailboxChannel, SeveralThreadsAskAtOnce)
{
  constexpr int count = 4;
  std::vector<std::thread> threads;
  threads.reserve(count);
  std::atomic<int> wrong = 0;
  for (int thread = 0; thread < count; ++thread)
  {
    threads.emplace_back(
      [this, &wrong, thread]
      {
        for (int i = 0; i < 300; ++i)
        {
          const std::string text = std::to_string(thread) + "." + std::to_string(i);
          wrong += this->Say(text) == text ? 0 : 1;
        }
      });
  }
  for (auto& thread : threads)
  {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

}
