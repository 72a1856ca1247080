// SPDX-License-Identifier: BSD-3-Clause
// The order in which clients and hosts are told to enter MPI's collective calls; no MPI here.
#include "Base/Error.h"
#include "Transport/Mpi/JoinCoordinator.h"
#include "Transport/Mpi/MpiMediator.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace
{

using namespace dsm;

/// A coordinator for two hosts, and all it says: "reply ada link=1", "host0 link-prepare 1", …
class Joining : public testing::Test
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
    JoinCoordinator::Callbacks say;
    say.Plan = [this](const RequestId& request, const JoinPlan& plan)
    {
      this->LastPlan = plan;
      this->Said.push_back("reply " + request.Peer + " join");
    };
    say.Enter = [this](const RequestId& request, const OpenPort& port)
    {
      this->LastPort = port.Port;
      this->Said.push_back("reply " + request.Peer + " enter");
    };
    say.Refuse = [this](const RequestId& request, const std::exception& error)
    {
      this->Texts["refuse " + request.Peer] = error.what();
      this->Said.push_back("refuse " + request.Peer);
    };
    say.Prepare = [this](HostIndex host, const PrepareJoin& event)
    {
      this->LastPrepare = event;
      this->ToHost(host, "link-prepare", event.Link);
    };
    say.Execute = [this](HostIndex host, const ExecuteJoin& event)
    {
      this->LastExecute = event;
      this->ToHost(host, "link-execute", event.Link);
    };
    say.Close = [this](HostIndex host, const CloseLink& event)
    { this->ToHost(host, "link-close", event.Link); };
    say.Drop = [this](HostIndex host, const DropLink& event)
    { this->ToHost(host, "link-drop", event.Link); };
    say.Report = [this](const std::string& text)
    {
      this->Texts["report"] = text;
      this->Said.emplace_back("report");
    };
    this->Joins = std::make_unique<JoinCoordinator>(offer, std::move(say));
  }

  void ToHost(HostIndex host, const char* what, std::uint64_t link)
  {
    this->Said.push_back("host" + std::to_string(host) + " " + what + " " + std::to_string(link));
  }

  /// What was said since the last time.
  std::vector<std::string> New() { return std::exchange(this->Said, {}); }

  /// As the server does, several times a second; at most for half a minute.
  void TickUntilSaid()
  {
    const dsm::Deadline limit(dsm::Seconds(30));
    while (this->Said.empty() && !limit.Expired())
    {
      this->Joins->Tick();
      std::this_thread::yield();
    }
  }

  void Join(const PeerId& peer, std::uint64_t leader, std::uint64_t world = 9)
  {
    this->Joins->Join({ peer, 1, "join" }, { { "MPICH", world, leader, 3 }, true });
  }
  void Enter(const PeerId& peer, std::uint64_t link)
  {
    this->Joins->Enter({ peer, 2, "enter" }, { link });
  }
  void Prepared(std::uint64_t link, const std::string& port = "")
  {
    this->Joins->Prepared({ link, port });
  }
  void Executed(std::uint64_t link, const std::string& failure = "")
  {
    this->Joins->Executed({ link, failure, false });
  }

  /// Lets link's client and both hosts in.
  void LetIn(const PeerId& peer, std::uint64_t link)
  {
    this->Enter(peer, link);
    this->Prepared(link);
    this->Executed(link);
    this->Executed(link);
  }

  std::unique_ptr<JoinCoordinator> Joins;
  std::vector<std::string> Said;
  std::map<std::string, std::string> Texts;
  JoinPlan LastPlan;
  PrepareJoin LastPrepare;
  ExecuteJoin LastExecute;
  std::string LastPort;
};

using Lines = std::vector<std::string>;

TEST_F(Joining, NobodyJoinsBeforeBothAreReady)
{
  this->Open();
  this->Join("ada", 2);
  EXPECT_EQ(this->New(), (Lines{ "host0 link-prepare 1", "reply ada join" }));
  EXPECT_TRUE(this->LastPlan.Static);
  EXPECT_EQ(this->LastPrepare.Leader, 2u);
  EXPECT_EQ(this->LastPrepare.Tag, this->LastPlan.Tag);
  this->Enter("ada", 1);
  EXPECT_EQ(this->New(), Lines{}) << "her message has not come";
  this->Prepared(1);
  EXPECT_EQ(
    this->New(), (Lines{ "host0 link-execute 1", "host1 link-execute 1", "reply ada enter" }));
  EXPECT_EQ(this->LastExecute.Leader, 2u);
}

TEST_F(Joining, HostsMayBeReadyBeforeTheClientAsks)
{
  this->Open();
  this->Join("ada", 2);
  this->Prepared(1);
  this->New();
  this->Enter("ada", 1);
  EXPECT_EQ(
    this->New(), (Lines{ "host0 link-execute 1", "host1 link-execute 1", "reply ada enter" }));
}

TEST_F(Joining, ThePortIsSentWhenItIsOpen)
{
  this->Open("port 7");
  this->Join("ada", 0, 3);
  EXPECT_FALSE(this->LastPlan.Static);
  this->Enter("ada", 1);
  this->Prepared(1, "port 7");
  EXPECT_EQ(this->LastPort, "port 7");
  EXPECT_EQ(this->LastExecute.Port, "port 7");
  EXPECT_FALSE(this->LastExecute.Static);
}

TEST_F(Joining, OthersWaitUntilAllHostsHaveJoined)
{
  this->Open();
  this->Join("ada", 2);
  this->Join("bob", 5);
  this->Enter("ada", 1);
  this->Prepared(1);
  this->Executed(1);
  this->New();
  this->Joins->Tick();
  EXPECT_EQ(this->New(), Lines{});
  this->Executed(1);
  EXPECT_EQ(this->New(), (Lines{ "host0 link-prepare 2", "reply bob join" }));
  // Both stay joined until each takes leave.
  this->LetIn("bob", 2);
  this->New();
  this->Joins->Leave("ada", { 1 });
  EXPECT_EQ(this->New(), (Lines{ "host0 link-close 1", "host1 link-close 1" }));
  this->Joins->Leave("ada", { 2 });
  EXPECT_EQ(this->New(), Lines{}) << "it is not hers";
}

TEST_F(Joining, AClientThatCannotJoinIsRefused)
{
  this->Open();
  EXPECT_THROW(this->Join("eve", 2, 4), dsm::Error);
  EXPECT_EQ(this->New(), Lines{});
  this->Join("ada", 2);
  EXPECT_EQ(this->New(), (Lines{ "host0 link-prepare 1", "reply ada join" }));
  EXPECT_THROW(this->Enter("eve", 1), dsm::Error);
  EXPECT_THROW(this->Enter("ada", 7), dsm::Error);
}

TEST_F(Joining, AFailureAtOneHostIsReported)
{
  this->Open();
  this->Join("ada", 2);
  this->Enter("ada", 1);
  this->Prepared(1);
  this->New();
  this->Executed(1, "MPI_Win_create: no memory");
  this->Executed(1);
  EXPECT_EQ(this->New(), (Lines{ "report", "host0 link-drop 1", "host1 link-drop 1" }));
  const auto text = this->Texts["report"];
  EXPECT_NE(text.find("no memory"), std::string::npos) << text;
}

TEST_F(Joining, AClientThatVanishesMakesRoom)
{
  this->Open();
  this->Join("ada", 2);
  this->Join("eve", 3);
  this->Join("bob", 5);
  this->Joins->Gone("eve"); // while she waits for her turn
  this->New();
  this->Joins->Gone("ada"); // before anybody entered
  EXPECT_EQ(this->New(),
    (Lines{ "host0 link-drop 1", "host1 link-drop 1", "host0 link-prepare 2", "reply bob join" }));
  this->Enter("bob", 2);
  this->Prepared(2);
  this->New();
  this->Joins->Gone("bob"); // inside the collective call, perhaps
  const auto said = this->New();
  EXPECT_EQ(
    (Lines(said.begin(), said.begin() + 2)), (Lines{ "host0 link-drop 2", "host1 link-drop 2" }));
  EXPECT_NE(this->Texts["report"].find("exited"), std::string::npos);
}

TEST_F(Joining, AJoinedClientThatVanishesIsDropped)
{
  this->Open();
  this->Join("ada", 2);
  this->LetIn("ada", 1);
  this->New();
  this->Joins->Gone("ada");
  EXPECT_EQ(this->New(), (Lines{ "host0 link-drop 1", "host1 link-drop 1" }));
  this->Joins->Leave("ada", { 1 }); // a message that came late
  EXPECT_EQ(this->New(), Lines{});
}

TEST_F(Joining, AMessageThatNeverComesHasALimit)
{
  // Meetings get half of it, the queue nine tenths: long enough to look in between on a busy
  // machine.
  setenv("DSM_TIMEOUT", "3", 1);
  this->Open();
  this->Join("ada", 2);
  this->Join("bob", 5);
  this->Enter("ada", 1);
  this->New();
  this->TickUntilSaid();
  EXPECT_EQ(this->New(),
    (Lines{ "refuse ada", "host0 link-drop 1", "host1 link-drop 1", "host0 link-prepare 2",
      "reply bob join" }));
  const auto text = this->Texts["refuse ada"];
  EXPECT_NE(text.find("within 1.5 s"), std::string::npos) << text;
  EXPECT_NE(text.find("fabric"), std::string::npos) << text;
  EXPECT_THROW(this->Enter("ada", 1), dsm::Error);
}

TEST_F(Joining, AQueueBehindADeadClientHasALimit)
{
  setenv("DSM_TIMEOUT", "0.1", 1);
  this->Open();
  this->Join("ada", 2);
  this->Enter("ada", 1);
  this->Prepared(1); // all enter, and some never come out
  this->Join("bob", 5);
  this->New();
  this->TickUntilSaid();
  EXPECT_EQ(this->New(), Lines{ "refuse bob" });
  EXPECT_NE(this->Texts["refuse bob"].find("restart ParaView's side"), std::string::npos);
}

TEST_F(Joining, APeerWaitsOnce)
{
  this->Open();
  this->Join("ada", 2);
  this->Join("bob", 5);
  EXPECT_THROW(this->Join("bob", 5), dsm::Error);
  this->Join("eve", 6);
}

// Else any peer could say that the hosts hang, and nobody would be joined any more.
TEST(MpiMediator, HearsOfTheHostsFromTheHostsOnly)
{
  dsm::MpiOffer offer;
  offer.Given = true;
  offer.Hosts = { "MPICH", 9u, 0, 2 };
  dsm::MpiMediator mediator(offer);
  std::string reported;
  dsm::TransportMediator::Callbacks callbacks;
  callbacks.Report = [&](const std::string& text) { reported = text; };
  mediator.Connect(callbacks);
  JoinExecuted stuck;
  stuck.Stuck = true;
  stuck.Failure = "stuck";
  EXPECT_THROW(mediator.Notify("eve", false, dsm::EncodeLinkMessage(stuck)), dsm::Error);
  EXPECT_THROW(mediator.Notify("eve", false, dsm::EncodeLinkMessage(JoinPrepared())), dsm::Error);
  EXPECT_EQ(reported, "");
  mediator.Notify("host", true, dsm::EncodeLinkMessage(stuck));
  EXPECT_EQ(reported, "stuck");
}

}
