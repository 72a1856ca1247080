// SPDX-License-Identifier: BSD-3-Clause
// The order in which clients and hosts are told to enter MPI's collective calls; no MPI here.
#include "Base/Error.h"
#include "Session/Matchmaker.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace
{

using dsm::Matchmaker;
using Json = nlohmann::json;

/// A matchmaker for two hosts, and all it says: "reply ada link=1", "host0 link-meet 1", …
class Matchmaking : public testing::Test
{
protected:
  void SetUp() override { setenv("DSM_TIMEOUT", "30", 1); }
  void TearDown() override { unsetenv("DSM_TIMEOUT"); }

  /// Hosts of one job with the simulation, or (with a port) of their own.
  void Open(const std::string& port = "")
  {
    dsm::MpiOffer offer;
    offer.Given = true;
    offer.Port = port;
    offer.Hosts = { "MPICH", port.empty() ? 9u : 2u, 0, 2 };
    Matchmaker::Ways ways;
    ways.Reply = [this](const dsm::PeerId& peer, const Json& request, Json reply)
    { this->Note("reply " + peer + " " + request.at("request").get<std::string>(), reply); };
    ways.Refuse = [this](const dsm::PeerId& peer, const Json&, const std::exception& error)
    { this->Note("refuse " + peer, { { "text", error.what() } }); };
    ways.ToHost = [this](std::uint64_t host, Json event)
    {
      this->Note("host" + std::to_string(host) + " " + event.at("event").get<std::string>() + " " +
          std::to_string(event.at("link").get<int>()),
        event);
    };
    ways.Report = [this](const std::string& text) { this->Note("report", { { "text", text } }); };
    this->Maker = std::make_unique<Matchmaker>(offer, ways);
  }

  void Note(const std::string& what, Json details)
  {
    this->Said.push_back(what);
    this->Last = std::move(details);
    this->Details[what] = this->Last;
  }

  /// What was said since the last time.
  std::vector<std::string> New() { return std::exchange(this->Said, {}); }

  /// As the server does, several times a second; at most for five.
  void TickUntilSaid()
  {
    const dsm::Deadline limit(dsm::Seconds(5));
    while (this->Said.empty() && !limit.Expired())
    {
      this->Maker->Tick();
      std::this_thread::yield();
    }
  }

  static Json JoinOf(std::uint64_t leader, std::uint64_t world = 9)
  {
    return { { "request", "join" }, { "one_sided", true },
      { "job", dsm::JobDescription{ "MPICH", world, leader, 3 } } };
  }
  static Json EnterOf(int link) { return { { "request", "enter" }, { "link", link } }; }
  static Json MetOf(int link, const std::string& port = "")
  {
    return { { "link", link }, { "port", port } };
  }
  static Json LinkedOf(int link, const std::string& failure = "")
  {
    return { { "link", link }, { "failure", failure } };
  }

  /// Lets link's client and both hosts in.
  void LetIn(const dsm::PeerId& peer, int link)
  {
    this->Maker->Enter(peer, EnterOf(link));
    this->Maker->Met(MetOf(link));
    this->Maker->Linked(LinkedOf(link));
    this->Maker->Linked(LinkedOf(link));
  }

  std::unique_ptr<Matchmaker> Maker;
  std::vector<std::string> Said;
  std::map<std::string, Json> Details;
  Json Last;
};

using Lines = std::vector<std::string>;

TEST_F(Matchmaking, NobodyEntersBeforeBothHaveMet)
{
  this->Open();
  this->Maker->Join("ada", JoinOf(2));
  EXPECT_EQ(this->New(), (Lines{ "host0 link-meet 1", "reply ada join" }));
  EXPECT_EQ(this->Last.at("static"), true);
  EXPECT_EQ(this->Details["host0 link-meet 1"].at("from"), 2);
  EXPECT_EQ(this->Details["host0 link-meet 1"].at("tag"), this->Last.at("tag"));
  this->Maker->Enter("ada", EnterOf(1));
  EXPECT_EQ(this->New(), Lines{}) << "her message has not come";
  this->Maker->Met(MetOf(1));
  EXPECT_EQ(this->New(), (Lines{ "host0 link-enter 1", "host1 link-enter 1", "reply ada enter" }));
  EXPECT_EQ(this->Details["host1 link-enter 1"].at("leader"), 2);
}

TEST_F(Matchmaking, AMeetingBeforeTheClientAsksIsAsGood)
{
  this->Open();
  this->Maker->Join("ada", JoinOf(2));
  this->Maker->Met(MetOf(1));
  this->New();
  this->Maker->Enter("ada", EnterOf(1));
  EXPECT_EQ(this->New(), (Lines{ "host0 link-enter 1", "host1 link-enter 1", "reply ada enter" }));
}

TEST_F(Matchmaking, ThePortIsToldWhenItIsOpen)
{
  this->Open("port 7");
  this->Maker->Join("ada", JoinOf(0, 3));
  EXPECT_EQ(this->Last.at("static"), false);
  this->Maker->Enter("ada", EnterOf(1));
  this->Maker->Met(MetOf(1, "port 7"));
  EXPECT_EQ(this->Last.at("port"), "port 7");
  EXPECT_EQ(this->Details["host0 link-enter 1"].at("port"), "port 7");
  EXPECT_EQ(this->Details["host0 link-enter 1"].at("static"), false);
}

TEST_F(Matchmaking, OthersWaitUntilAllHostsAreIn)
{
  this->Open();
  this->Maker->Join("ada", JoinOf(2));
  this->Maker->Join("bob", JoinOf(5));
  this->Maker->Enter("ada", EnterOf(1));
  this->Maker->Met(MetOf(1));
  this->Maker->Linked(LinkedOf(1));
  this->New();
  this->Maker->Tick();
  EXPECT_EQ(this->New(), Lines{});
  this->Maker->Linked(LinkedOf(1));
  EXPECT_EQ(this->New(), (Lines{ "host0 link-meet 2", "reply bob join" }));
  // Both stay joined until each takes leave.
  this->LetIn("bob", 2);
  this->New();
  this->Maker->Leave("ada", { { "link", 1 } });
  EXPECT_EQ(this->New(), (Lines{ "host0 link-leave 1", "host1 link-leave 1" }));
  this->Maker->Leave("ada", { { "link", 2 } });
  EXPECT_EQ(this->New(), Lines{}) << "it is not hers";
}

TEST_F(Matchmaking, WhoCannotMeetIsToldAndNobodyElseHears)
{
  this->Open();
  EXPECT_THROW(this->Maker->Join("eve", JoinOf(2, 4)), dsm::Error);
  EXPECT_EQ(this->New(), Lines{});
  this->Maker->Join("ada", JoinOf(2));
  EXPECT_EQ(this->New(), (Lines{ "host0 link-meet 1", "reply ada join" }));
  EXPECT_THROW(this->Maker->Enter("eve", EnterOf(1)), dsm::Error);
  EXPECT_THROW(this->Maker->Enter("ada", EnterOf(7)), dsm::Error);
}

TEST_F(Matchmaking, AFailureAtOneHostIsReported)
{
  this->Open();
  this->Maker->Join("ada", JoinOf(2));
  this->Maker->Enter("ada", EnterOf(1));
  this->Maker->Met(MetOf(1));
  this->New();
  this->Maker->Linked(LinkedOf(1, "MPI_Win_create: no memory"));
  this->Maker->Linked(LinkedOf(1));
  EXPECT_EQ(this->New(), (Lines{ "report", "host0 link-drop 1", "host1 link-drop 1" }));
  const auto text = this->Details["report"].at("text").get<std::string>();
  EXPECT_NE(text.find("no memory"), std::string::npos) << text;
}

TEST_F(Matchmaking, AClientThatVanishesMakesRoom)
{
  this->Open();
  this->Maker->Join("ada", JoinOf(2));
  this->Maker->Join("eve", JoinOf(3));
  this->Maker->Join("bob", JoinOf(5));
  this->Maker->Gone("eve"); // while she waits for her turn
  this->New();
  this->Maker->Gone("ada"); // before anybody entered
  EXPECT_EQ(this->New(),
    (Lines{ "host0 link-drop 1", "host1 link-drop 1", "host0 link-meet 2", "reply bob join" }));
  this->Maker->Enter("bob", EnterOf(2));
  this->Maker->Met(MetOf(2));
  this->New();
  this->Maker->Gone("bob"); // inside the collective call, perhaps
  const auto said = this->New();
  EXPECT_EQ(
    (Lines(said.begin(), said.begin() + 2)), (Lines{ "host0 link-drop 2", "host1 link-drop 2" }));
  EXPECT_NE(
    this->Details["report"].at("text").get<std::string>().find("vanished"), std::string::npos);
}

TEST_F(Matchmaking, AJoinedClientThatVanishesIsDropped)
{
  this->Open();
  this->Maker->Join("ada", JoinOf(2));
  this->LetIn("ada", 1);
  this->New();
  this->Maker->Gone("ada");
  EXPECT_EQ(this->New(), (Lines{ "host0 link-drop 1", "host1 link-drop 1" }));
  this->Maker->Leave("ada", { { "link", 1 } }); // a message that came late
  EXPECT_EQ(this->New(), Lines{});
}

TEST_F(Matchmaking, AMessageThatNeverComesHasALimit)
{
  setenv("DSM_TIMEOUT", "0.2", 1); // meetings get half of it, the queue nine tenths
  this->Open();
  this->Maker->Join("ada", JoinOf(2));
  this->Maker->Join("bob", JoinOf(5));
  this->Maker->Enter("ada", EnterOf(1));
  this->New();
  this->TickUntilSaid();
  EXPECT_EQ(this->New(),
    (Lines{ "refuse ada", "host0 link-drop 1", "host1 link-drop 1", "host0 link-meet 2",
      "reply bob join" }));
  const auto text = this->Details["refuse ada"].at("text").get<std::string>();
  EXPECT_NE(text.find("within 0.1 s"), std::string::npos) << text;
  EXPECT_NE(text.find("fabric"), std::string::npos) << text;
  EXPECT_THROW(this->Maker->Enter("ada", EnterOf(1)), dsm::Error);
}

TEST_F(Matchmaking, AQueueBehindADeadClientHasALimit)
{
  setenv("DSM_TIMEOUT", "0.1", 1);
  this->Open();
  this->Maker->Join("ada", JoinOf(2));
  this->Maker->Enter("ada", EnterOf(1));
  this->Maker->Met(MetOf(1)); // all enter, and some never come out
  this->Maker->Join("bob", JoinOf(5));
  this->New();
  this->TickUntilSaid();
  EXPECT_EQ(this->New(), Lines{ "refuse bob" });
  EXPECT_NE(
    this->Last.at("text").get<std::string>().find("restart ParaView's side"), std::string::npos);
}

}
