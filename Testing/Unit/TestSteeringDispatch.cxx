// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/SteeringDispatch.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

#include <variant>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;

/// A simulation that is steered by one value.
class SteeringDispatchTest : public ::testing::Test
{
protected:
  SteeringDispatchTest()
  {
    this->Server.Connect("sim", "steering");
    this->Server.Connect("viewer", "viewer");
  }

  void Declare(const PeerId& peer = "sim")
  {
    DeclareProgram declare;
    declare.Program = peer;
    declare.Instance = peer;
    ParameterDeclaration feed;
    feed.Name = "feed";
    feed.Default = 0.5;
    feed.Maximum = 1.0;
    declare.Offered.Parameters = { feed };
    declare.Values = { { "feed", PlainValue(0.5) } };
    EXPECT_NO_THROW(this->Server.Ask(peer, declare));
  }

  static RequestSteering Apply(double value, const std::string& who = "ada")
  {
    ApplyRequest apply;
    apply.Set = { { "feed", PlainValue(value) } };
    apply.Who = who;
    return { apply, who };
  }

  SteeringStatus SteeringState()
  {
    const auto answer = this->Server.Ask("viewer", RequestSteering{ StatusRequest(), "ada" });
    return std::get<SteeringStatus>(answer.Answer);
  }

  SimulatedServer Server;
};

TEST_F(SteeringDispatchTest, DeclaresAProgram)
{
  this->Declare();
  const SteeringStatus status = this->SteeringState();
  ASSERT_EQ(status.Programs.size(), 1u);
  EXPECT_EQ(status.Programs.front().Name, "sim");
  EXPECT_EQ(status.Programs.front().State, "connected");
}

TEST_F(SteeringDispatchTest, DeliversAChangeAndItsOutcome)
{
  this->Declare();
  const auto answer = this->Server.Ask("viewer", Apply(0.1));
  ASSERT_TRUE(std::holds_alternative<PendingAnswer>(answer.Answer));
  const auto delivered = this->Server.Channel.Take<DeliverTransactions>("sim");
  ASSERT_EQ(delivered.size(), 1u);
  const std::uint64_t number = delivered.front().Transactions.front().Number;
  TicketedOutcome outcome;
  outcome.Ticket = 1;
  outcome.What.Number = number;
  outcome.What.Applied = true;
  this->Server.Notify("sim", ReportOutcomes{ { outcome } });
  EXPECT_EQ(this->Server.Channel.Take<OutcomesAcknowledged>("sim").size(), 1u);
  const auto waited = this->Server.Ask("viewer", RequestSteering{ WaitRequest{ number, 0 }, "" });
  EXPECT_TRUE(std::get<Outcome>(waited.Answer).Applied);
}

TEST_F(SteeringDispatchTest, ReportsProgress)
{
  this->Declare();
  ReportProgress progress;
  progress.Step = 12;
  this->Server.Notify("sim", progress);
  EXPECT_EQ(this->SteeringState().Programs.front().Step, 12);
}

TEST_F(SteeringDispatchTest, PassesOnWhatTheSteeringServiceRefuses)
{
  EXPECT_TRUE(this->Server.IsRefused(this->Server.Send("viewer", Apply(0.1)), Fault::Refused, ""))
    << "no program is there";
  this->Declare();
  EXPECT_NO_THROW(this->Server.Ask("viewer", Apply(0.1))) << "the core goes on";
}

// A guest's name comes from its key, not from what it says.
TEST_F(SteeringDispatchTest, SignsWhatGuestsAskForWithTheirNames)
{
  this->Declare();
  const std::string key = this->Server.Invite("eve", Right::Steer);
  this->Server.Ask("guest", Apply(0.2, "the owner"), key);
  this->Server.Ask("viewer", Apply(0.3, "ada"));
  const auto delivered = this->Server.Channel.Take<DeliverTransactions>("sim");
  std::vector<std::string> who;
  for (const auto& event : delivered)
  {
    for (const auto& transaction : event.Transactions)
    {
      who.push_back(transaction.Who);
    }
  }
  EXPECT_EQ(who, (dsm::testing::Texts{ "eve (guest)", "ada" }));
}

// The steering service has the core save files, so it is asked without the core's lock.
TEST_F(SteeringDispatchTest, SavesAFileThatAViewerAsksFor)
{
  this->Server.Core.Router.Do([&] { this->Server.Core.Storage.OfferSaving(true); });
  this->Server.Connect("writer", "writer");
  this->Server.WriteFile("writer", "/a.h5");
  const auto answer = this->Server.Ask("viewer", RequestSteering{ SaveRequest(), "ada" });
  EXPECT_TRUE(std::holds_alternative<PendingAnswer>(answer.Answer));
  const auto order =
    this->Server.Core.Router.Do([&] { return this->Server.Core.Storage.TakeSaveOrder(); });
  ASSERT_TRUE(order);
  EXPECT_EQ(order->Snapshot.Number, 1u);
}

TEST_F(SteeringDispatchTest, AnswersInteractionsByChannelAndInMemoryAlike)
{
  this->Declare();
  ReadInteractions read;
  read.Peek = true;
  const auto byChannel = this->Server.Ask("viewer", read);
  const auto inMemory = this->Server.ReplyTo<ReadInteractions>(this->Server.SendInMemory(read));
  EXPECT_EQ(byChannel.Program, "sim");
  EXPECT_EQ(inMemory.Program, "sim");
  ASSERT_EQ(inMemory.Parameters.size(), 1u);
  EXPECT_EQ(inMemory.Parameters.front().Now, byChannel.Parameters.front().Now);
  read.Program = "nobody";
  EXPECT_EQ(this->Server.Ask("viewer", read).Parameters.size(), 0u);
  const std::uint64_t unknown = this->Server.SendInMemory(read);
  EXPECT_EQ(this->Server.ReplyTo<ReadInteractions>(unknown).Parameters.size(), 0u);
}

// A program that only looks has no step of its own.
TEST_F(SteeringDispatchTest, AppliesPendingChangesAtTheNewestFilesStep)
{
  DeclareRequest declare;
  declare.Program = "poller";
  ParameterDeclaration feed;
  feed.Name = "feed";
  feed.Default = 0.5;
  feed.Maximum = 1.0;
  declare.Offered.Parameters = { feed };
  this->Server.Ask("viewer", RequestSteering{ declare, "ada" });
  this->Server.Connect("writer", "writer");
  this->Server.WriteFile("writer", "/out.0042.h5");
  this->Server.Ask("viewer", Apply(0.25));
  ReadInteractions read;
  read.Program = "poller";
  const auto seen = this->Server.ReplyTo<ReadInteractions>(this->Server.SendInMemory(read));
  ASSERT_EQ(seen.Parameters.size(), 1u);
  EXPECT_EQ(seen.Parameters.front().Now, PlainValue(0.25));
  EXPECT_EQ(seen.Parameters.front().Step, 42);
}

TEST_F(SteeringDispatchTest, TellsTheSteeringServiceWhatARunBeganFrom)
{
  this->Server.Connect("before", "writer");
  this->Declare("before");
  this->Server.WriteFile("before", "/r/a.7.h5");
  this->Server.Connect("writer", SimulatedServer::Describe("sim", "writer"));
  this->Server.Read("writer", 1);
  this->Declare();
  this->Server.WriteFile("writer", "/s/b.1.h5");
  const ServerStatus status = this->Server.Ask("viewer", AskStatus());
  ASSERT_EQ(status.Runs.size(), 2u);
  ASSERT_TRUE(status.Runs[1].From);
  TicketedOutcome outcome;
  outcome.Ticket = 1;
  outcome.What.Applied = true;
  outcome.What.Changes.push_back({ "feed", PlainValue(0.5), PlainValue(0.1) });
  this->Server.Notify("sim", ReportOutcomes{ { outcome } });
  const ServerStatus later = this->Server.Ask("viewer", AskStatus());
  ASSERT_EQ(later.Runs[1].Changed.size(), 1u);
  EXPECT_EQ(later.Runs[1].Changed.front().New, PlainValue(0.1));
}

TEST_F(SteeringDispatchTest, KnowsTheRunOfAProgramThatDeclaresAfterItsFirstFile)
{
  this->Server.Connect("before", "writer");
  this->Declare("before");
  this->Server.WriteFile("before", "/r/a.7.h5");
  this->Server.Connect("writer", SimulatedServer::Describe("sim", "writer"));
  this->Server.Read("writer", 1);
  this->Server.WriteFile("writer", "/s/b.1.h5");
  this->Declare();
  TicketedOutcome outcome;
  outcome.Ticket = 1;
  outcome.What.Applied = true;
  outcome.What.Changes.push_back({ "feed", PlainValue(0.5), PlainValue(0.1) });
  this->Server.Notify("sim", ReportOutcomes{ { outcome } });
  EXPECT_EQ(this->Server.Ask("viewer", AskStatus()).Runs[1].Changed.size(), 1u);
}

}
