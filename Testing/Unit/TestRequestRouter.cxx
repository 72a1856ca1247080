// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/RequestRouter.h"

#include "Base/Error.h"
#include "Protocol/ImageMessages.h"
#include "Protocol/SessionMessages.h"
#include "Protocol/SnapshotMessages.h"
#include "Server/Core/ServerMessages.h"
#include "SimulatedServer.h"
#include "Steering/SteeringMessages.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{

using namespace dsm;
using dsm::testing::RecordedAnswers;
using dsm::testing::Texts;

/// Handles all requests, and notes them with the guests who made them.
struct Recorder
{
  template <typename Message>
  void Handle(const Call& call, const Message&)
  {
    this->Handled.push_back(call.Guest() + " " + Message::Name);
    if (this->Fails)
    {
      throw std::runtime_error("it cannot");
    }
    call.Reply(Nothing());
  }

  Texts Handled;
  bool Fails = false;
};

/// Knows the owner and two guests.
struct Doorkeeper final : RequestRouter::Gate
{
  const GuestDescription* GuestOf(const std::string& key) const override
  {
    if (key == "owner")
    {
      return nullptr;
    }
    const auto found = this->Guests.find(key);
    if (found == this->Guests.end())
    {
      throw Error(Fault::Refused, "not invited");
    }
    return &found->second;
  }

  std::map<std::string, GuestDescription> Guests{ { "eve", { "eve", Right::Look } },
    { "bob", { "bob", Right::Steer } } };
};

class RequestRouterTest : public ::testing::Test
{
protected:
  RequestRouterTest()
  {
    this->Router.On<Hello>(this->Service);
    this->Router.On<LocateSnapshot>(this->Service);
    this->Router.On<SealImage>(this->Service);
    this->Router.On<StopServer>(this->Service);
    this->Router.On<ReadInteractions>(this->Service);
    this->Router.On<RequestSteering>(this->Service);
    this->State.IsOpen = true;
  }

  /// What becomes of a request: "handled" or the refusal.
  template <typename Message>
  std::string Send(const std::string& key, const Message& message, const PeerId& peer = "peer")
  {
    return this->SendEnvelope(key, peer, Message::Name, Encode(message));
  }

  std::string SendEnvelope(
    const std::string& key, const PeerId& peer, const std::string& name, Bytes body)
  {
    try
    {
      this->Router.Receive(Call({ peer, ++this->Last, name, key }, this->Answers),
        { Envelope::Kind::Request, name, this->Last, std::move(body), {}, {} });
    }
    catch (const std::exception& error)
    {
      return error.what();
    }
    return this->Answers->ById.contains(this->Last) ? "handled" : "nothing";
  }

  static RequestSteering Apply()
  {
    RequestSteering asked;
    asked.Request = ApplyRequest();
    return asked;
  }

  double Wall = 0; ///< that the router's clock says
  CoreState State{ {}, {}, {} };
  Doorkeeper Admission;
  RequestRouter Router{ this->State, this->Admission,
    [this] { return CoreTime{ Clock::time_point(), ++this->Wall }; } };
  Recorder Service;
  const std::shared_ptr<RecordedAnswers> Answers = std::make_shared<RecordedAnswers>();
  std::uint64_t Last = 0;
};

// ---- Admission.

TEST_F(RequestRouterTest, GivesEachRequestOfTheOwnerToItsService)
{
  EXPECT_EQ(this->Send("owner", Hello()), "handled");
  EXPECT_EQ(this->Send("owner", LocateSnapshot()), "handled");
  SealImage seal;
  seal.Image = 1;
  EXPECT_EQ(this->Send("owner", seal), "handled");
  EXPECT_EQ(this->Send("owner", StopServer()), "handled");
  EXPECT_EQ(this->Service.Handled, (Texts{ " hello", " locate", " seal", " stop" }));
  EXPECT_EQ(
    this->Router.Names(), (Texts{ "hello", "interactions", "locate", "seal", "steer", "stop" }));
}

TEST_F(RequestRouterTest, AllowsGuestsWhatTheirInvitationSays)
{
  const std::string looks = "the invitation of eve is to look only";
  const std::string steers = "the invitation of bob is to look and steer only";
  ReadInteractions peek;
  peek.Peek = true;
  EXPECT_EQ(this->Send("eve", LocateSnapshot()), "handled");
  EXPECT_EQ(this->Send("eve", peek), "handled");
  EXPECT_EQ(this->Send("bob", LocateSnapshot()), "handled");
  EXPECT_EQ(this->Send("bob", Apply()), "handled");
  EXPECT_EQ(
    this->Service.Handled, (Texts{ "eve locate", "eve interactions", "bob locate", "bob steer" }));
  EXPECT_EQ(this->Send("eve", Apply()).find(looks), 0u);
  EXPECT_EQ(this->Send("eve", ReadInteractions()).find(looks), 0u) << "it takes effect";
  EXPECT_EQ(this->Send("eve", SealImage()).find(looks), 0u);
  EXPECT_EQ(this->Send("eve", StopServer()).find(looks), 0u);
  EXPECT_EQ(this->Send("bob", SealImage()).find(steers), 0u);
  EXPECT_EQ(this->Send("bob", StopServer()).find(steers), 0u);
  EXPECT_EQ(this->Service.Handled.size(), 4u);
}

TEST_F(RequestRouterTest, RefusesKeysThatAreNotAdmitted)
{
  EXPECT_EQ(this->Send("mallory", LocateSnapshot()), "not invited");
  EXPECT_EQ(this->SendEnvelope("mallory", "peer", "something", {}), "not invited");
  EXPECT_TRUE(this->Service.Handled.empty());
}

TEST_F(RequestRouterTest, RefusesUnknownMessagesAsOfAnotherVersion)
{
  EXPECT_EQ(this->SendEnvelope("owner", "peer", "something new", {}),
    "this DSM server does not understand \"something new\": its version is older or newer than the "
    "peer's");
  EXPECT_EQ(this->SendEnvelope("eve", "peer", "something new", {})
              .find("the invitation of eve is to look only"),
    0u)
    << "it may need any right";
  const Envelope unknown{ Envelope::Kind::Request, "something new", 1, {}, {}, {} };
  EXPECT_EQ(this->Router.NeededFor(unknown), Right::Own);
}

TEST_F(RequestRouterTest, RefusesMalformedContentBeforeTheServiceSeesIt)
{
  const std::string refusal = this->SendEnvelope("owner", "peer", SealImage::Name, { 'x' });
  EXPECT_NE(refusal.find("the message \"seal\""), std::string::npos) << refusal;
  EXPECT_TRUE(this->Service.Handled.empty());
}

// The rest of the message may be otherwise in another version.
TEST_F(RequestRouterTest, RefusesHelloOfAnotherVersionWithoutDecodingTheRest)
{
  const Bytes body = Encode(HelloVersion{ ProtocolVersion() + 1 });
  EXPECT_EQ(this->SendEnvelope("owner", "peer", Hello::Name, body),
    fmt::format("the simulation's side speaks version {} of the DSM protocol and ParaView's side "
                "version {}: use the same release of ParaView DSM on both sides",
      ProtocolVersion() + 1, ProtocolVersion()));
  EXPECT_TRUE(this->Service.Handled.empty());
}

TEST_F(RequestRouterTest, AnswersInMemoryOnlyMessagesThatMayComeSo)
{
  const std::string refusal = "the DSM server does not answer this in its memory";
  EXPECT_EQ(this->Send("", LocateSnapshot(), ""), "handled");
  EXPECT_EQ(this->Send("", ReadInteractions(), ""), "handled");
  EXPECT_EQ(this->Send("", SealImage(), ""), refusal);
  EXPECT_EQ(this->Send("", StopServer(), ""), refusal);
  EXPECT_EQ(this->Send("", Hello(), ""), refusal);
  EXPECT_EQ(this->SendEnvelope("", "", "", {}), refusal) << "not a message at all";
  EXPECT_EQ(this->Service.Handled, (Texts{ " locate", " interactions" }));
}

TEST_F(RequestRouterTest, ClosedCoreAnswersNothing)
{
  this->State.IsOpen = false;
  EXPECT_EQ(this->Send("owner", LocateSnapshot()), "nothing");
  EXPECT_EQ(this->Send("mallory", LocateSnapshot()), "nothing");
  EXPECT_EQ(this->Send("", SealImage(), ""), "nothing");
  EXPECT_TRUE(this->Service.Handled.empty());
}

TEST_F(RequestRouterTest, ThrowsWhatTheServiceThrows)
{
  this->Service.Fails = true;
  EXPECT_EQ(this->Send("owner", LocateSnapshot()), "it cannot");
  this->Service.Fails = false;
  EXPECT_EQ(this->Send("owner", LocateSnapshot()), "handled") << "the lock is free again";
}

// ---- Events.

TEST_F(RequestRouterTest, SetsTheTimeBeforeEachEventAndSettlesAtItsEnd)
{
  std::vector<double> settled;
  this->Router.AtEnd([&] { settled.push_back(this->State.Time.Wall); });
  this->Router.Do([&] { EXPECT_EQ(this->State.Time.Wall, 1); });
  this->Send("owner", LocateSnapshot());
  this->Service.Fails = true;
  this->Send("owner", LocateSnapshot());
  EXPECT_EQ(this->Router.Do([] { return 7; }), 7);
  EXPECT_EQ(settled, (std::vector<double>{ 1, 2, 3, 4 }));
}

TEST_F(RequestRouterTest, RunsTasksBehindTheEventInOrderAndWithoutTheLock)
{
  Texts order;
  this->Router.AtEnd([&] { order.emplace_back("end"); });
  this->Router.Do(
    [&]
    {
      for (const char* name : { "first", "second" })
      {
        this->Router.Post(
          [&, name]
          {
            // Another event would wait forever if the lock were held.
            std::thread([&] { this->Router.Do([&] { order.emplace_back(name); }); }).join();
          });
      }
      order.emplace_back("event");
    });
  EXPECT_EQ(order, (Texts{ "event", "end", "first", "end", "second", "end" }));
}

TEST_F(RequestRouterTest, RunsTasksThatTasksPostBehindThoseThatWait)
{
  Texts order;
  this->Router.Do(
    [&]
    {
      this->Router.Post(
        [&]
        {
          this->Router.Do([&] { this->Router.Post([&] { order.emplace_back("third"); }); });
          order.emplace_back("first");
        });
      this->Router.Post([&] { order.emplace_back("second"); });
    });
  EXPECT_EQ(order, (Texts{ "first", "second", "third" }));
}

TEST_F(RequestRouterTest, RunsTheOtherTasksIfOneFails)
{
  Texts order;
  this->Router.Do(
    [&]
    {
      this->Router.Post([] { throw std::runtime_error("it cannot"); });
      this->Router.Post([&] { order.emplace_back("second"); });
    });
  EXPECT_EQ(order, Texts{ "second" });
}

TEST_F(RequestRouterTest, RunsTheTasksOfAnEventThatFails)
{
  Texts order;
  EXPECT_THROW(this->Router.Do(
                 [&]
                 {
                   this->Router.Post([&] { order.emplace_back("task"); });
                   throw std::runtime_error("it cannot");
                 }),
    std::runtime_error);
  EXPECT_EQ(order, Texts{ "task" });
}

TEST_F(RequestRouterTest, RunsTheTasksOfAnEventWhoseEndFails)
{
  Texts order;
  this->Router.AtEnd([] { throw std::runtime_error("it cannot"); });
  this->Router.Do([&] { this->Router.Post([&] { order.emplace_back("task"); }); });
  EXPECT_EQ(order, Texts{ "task" });
}

TEST_F(RequestRouterTest, RunsTasksOfSeveralThreadsOneAtATimeInTheOrderOfTheirEvents)
{
  constexpr std::size_t threads = 4;
  constexpr std::size_t each = 500;
  int posted = 0; // under the lock
  std::vector<int> run;
  std::atomic<int> running = 0;
  std::atomic<bool> overlapped = false;
  {
    std::vector<std::jthread> workers;
    workers.reserve(threads);
    for (std::size_t thread = 0; thread < threads; ++thread)
    {
      workers.emplace_back(
        [&]
        {
          for (std::size_t i = 0; i < each; ++i)
          {
            this->Router.Do(
              [&]
              {
                this->Router.Post(
                  [&, number = posted++]
                  {
                    overlapped = overlapped || ++running > 1;
                    run.push_back(number);
                    --running;
                  });
              });
          }
        });
    }
  }
  EXPECT_FALSE(overlapped);
  std::vector<int> expected(threads * each);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(run, expected);
}

TEST_F(RequestRouterTest, WaitingThreadsLetOtherEventsInAndSeeTheTimeWhenTheyWake)
{
  std::atomic<bool> waits = false;
  bool isThere = false; // under the lock
  const auto waitFor = [&](auto wait)
  {
    RequestRouter::Visit visit(this->Router);
    waits = true;
    while (!isThere)
    {
      (visit.*wait)(std::nullopt);
    }
    EXPECT_EQ(this->State.Time.Wall, this->Wall);
  };
  for (const auto wait :
    { &RequestRouter::Visit::WaitAsReader, &RequestRouter::Visit::WaitAsDiskWriter })
  {
    waits = isThere = false;
    std::jthread waiter(waitFor, wait);
    while (!waits)
    {
      std::this_thread::yield();
    }
    this->Router.Do(
      [&]
      {
        isThere = true;
        this->Router.WakeAll();
      });
  }
  RequestRouter::Visit visit(this->Router);
  visit.WaitAsReader(Clock::now()); // returns at its limit
}

}
