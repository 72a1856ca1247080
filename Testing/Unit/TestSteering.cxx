// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/SteeringService.h"

#include "Base/Error.h"
#include "Encoding/Encoding.h"
#include "Steering/SteeringLog.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <sstream>
#include <tuple>

#include <unistd.h>

namespace
{
using namespace dsm;

/// A service whose messages are kept, and a simulation with one parameter.
class SteeringServiceTest : public testing::Test
{
protected:
  SteeringServiceTest()
  {
    this->Log = std::filesystem::temp_directory_path() /
      ("dsm-steering-" + std::to_string(getpid()) + ".log");
    std::filesystem::remove(this->Log);
    SteeringService::Callbacks callbacks;
    callbacks.Deliver = [this](const PeerId& peer, const DeliverTransactions& event)
    { this->Sent.emplace_back(peer, event); };
    callbacks.Acknowledge = [this](const PeerId&, const OutcomesAcknowledged& event)
    { this->Heard = event.Tickets; };
    callbacks.Answer = [](const RequestId&, const SteeringAnswer&) {};
    callbacks.Save = [this](std::uint64_t number, const SaveRequest& request)
    {
      this->Ordered = number;
      this->OrderedFile = { request.When, request.Number, request.Path };
      return std::string();
    };
    this->Service = std::make_unique<SteeringService>(
      this->Log.string(), std::move(callbacks), SteeringService::ViewerLoss::Resume);
  }

  ~SteeringServiceTest() override
  {
    this->Service.reset();
    std::filesystem::remove(this->Log);
    std::filesystem::remove(this->Log.string() + ".previous");
  }

  void Declare(const std::string& peer, const std::string& instance, std::uint64_t received = 0)
  {
    Declarations offered;
    ParameterDeclaration feed;
    feed.Name = "feed";
    feed.Default = 0.5;
    feed.Maximum = 1.0;
    offered.Parameters.push_back(feed);
    offered.Commands.push_back({ "pause", "", "Run", false });
    offered.Commands.push_back({ "resume", "", "Run", false });
    this->Service->Declare(
      peer, { "sim", instance, received, offered, { { "feed", PlainValue(0.5) } } });
  }

  /// What the service answers: the text of its outcome's state, or "pending".
  SteeringAnswer Set(double value, const std::string& program = {})
  {
    ApplyRequest apply;
    apply.Program = program;
    apply.Set = { { "feed", value } };
    return this->Service->Answer(apply, "ada");
  }

  SteeringAnswer Wait(std::uint64_t transaction, double seconds = 0)
  {
    return this->Service->Answer(WaitRequest{ transaction, seconds }, "ada");
  }

  void Pause(const PeerId& viewer)
  {
    ApplyRequest apply;
    apply.Commands = { { "pause", PlainValue() } };
    this->Service->Request({ viewer, 1, "steer" }, { apply, "eve" });
  }

  void Apply(const PeerId& peer, std::uint64_t ticket, Outcome outcome)
  {
    outcome.Applied = true;
    this->Service->Receive(peer, ReportOutcomes{ { { ticket, outcome } } });
  }

  static std::string State(const SteeringAnswer& answer)
  {
    const auto* outcome = std::get_if<Outcome>(&answer);
    return !outcome ? "pending" : outcome->Applied ? "applied" : "refused";
  }

  static std::vector<std::uint64_t> Numbers(const DeliverTransactions& event)
  {
    std::vector<std::uint64_t> numbers;
    numbers.reserve(event.Transactions.size());
    for (const auto& transaction : event.Transactions)
    {
      numbers.push_back(transaction.Number);
    }
    return numbers;
  }

  std::filesystem::path Log;
  std::vector<std::pair<PeerId, DeliverTransactions>> Sent;
  std::vector<std::uint64_t> Heard; ///< the last outcomes that were acknowledged
  std::uint64_t Ordered = 0;        ///< the last order to save
  std::tuple<std::string, std::uint64_t, std::string> OrderedFile; ///< when, which and where
  std::unique_ptr<SteeringService> Service;
};

TEST_F(SteeringServiceTest, AnArrayThatWasAppliedIsSavedBesideTheLog)
{
  Declarations offered;
  ParameterDeclaration mask;
  mask.Name = "mask";
  mask.Type = ValueType::Array;
  mask.Default = std::string();
  mask.Array = { "int32", { 2, 3 } };
  offered.Parameters.push_back(mask);
  this->Service->Declare("p1", { "sim", "i1", 0, offered, { { "mask", std::string() } } });

  const std::string hash(64, 'b');
  const std::string text = "int32 2x3 sha256:" + hash + " snapshot:7 offset:2048";
  ApplyRequest apply;
  apply.Set = { { "mask", "int32 3x2 sha256:" + hash + " snapshot:7 offset:2048" } };
  EXPECT_EQ(State(this->Service->Answer(apply, "ada")), "refused");
  apply.Set = { { "mask", text } };
  EXPECT_EQ(State(this->Service->Answer(apply, "ada")), "pending");

  Outcome outcome;
  outcome.Number = 2;
  outcome.Changes = { { "mask", std::string(), text } };
  this->Apply("p1", 1, outcome);
  const auto file = this->Log.parent_path() / ("dsm-array-" + hash + ".h5");
  EXPECT_EQ(this->OrderedFile, std::make_tuple("number", 7, file.string()));
  EXPECT_EQ(State(this->Wait(2)), "applied");
  // Nobody is told of that file.
  Outcome saved;
  saved.Number = this->Ordered;
  saved.Applied = true;
  this->Service->Saved(saved);
  const auto status = std::get<SteeringStatus>(this->Service->Answer(StatusRequest(), "ada"));
  EXPECT_EQ(status.Outcomes.size(), 2u);

  // A replay sets what stands beside its own log.
  this->OrderedFile = {};
  outcome.Number = 0;
  this->Apply("p1", 2, outcome);
  EXPECT_EQ(std::get<0>(this->OrderedFile), "");
}

TEST_F(SteeringServiceTest, OneThatComesBackGetsWhatItMissedAndNoMore)
{
  EXPECT_THROW(this->Set(0.1), Error);
  this->Declare("p1", "run");
  EXPECT_EQ(State(this->Set(0.1)), "pending");
  EXPECT_EQ(Numbers(this->Sent.back().second), std::vector<std::uint64_t>{ 1 });
  this->Service->Gone("p1", true);
  this->Sent.clear();
  this->Set(0.2);
  this->Set(0.3);
  EXPECT_TRUE(this->Sent.empty());
  this->Declare("p2", "run", 1);
  ASSERT_EQ(this->Sent.size(), 1u);
  EXPECT_EQ(this->Sent[0].first, "p2");
  EXPECT_EQ(Numbers(this->Sent[0].second), (std::vector<std::uint64_t>{ 2, 3 }));
}

TEST_F(SteeringServiceTest, AFloodIsSentAsItIsAnswered)
{
  this->Declare("p1", "run");
  constexpr std::uint64_t changes = 3000;
  for (std::uint64_t change = 1; change <= changes; ++change)
  {
    ASSERT_EQ(State(this->Set(1.0 / double(change))), "pending");
  }
  std::uint64_t last = 0;
  std::uint64_t answered = 0;
  // NOLINTNEXTLINE(modernize-loop-convert): more is sent meanwhile
  for (std::size_t event = 0; event < this->Sent.size(); ++event)
  {
    for (const std::uint64_t number : Numbers(this->Sent[event].second))
    {
      ASSERT_EQ(number, ++last);
    }
    // Never so much at a time that a queue could overflow; each answer lets more follow.
    ASSERT_LE(last, answered + 300);
    if (answered < last)
    {
      Outcome outcome;
      outcome.Number = ++answered;
      this->Apply("p1", answered, outcome);
    }
  }
  EXPECT_EQ(last, changes);
}

TEST_F(SteeringServiceTest, APauseOnItsWayIsUndoneWhenItsViewerDies)
{
  this->Declare("p1", "run");
  this->Pause("v");
  this->Sent.clear();
  this->Service->Gone("v", true);
  ASSERT_EQ(this->Sent.size(), 1u);
  EXPECT_EQ(this->Sent[0].second.Transactions[0].Commands[0].first, "resume");
}

TEST_F(SteeringServiceTest, AnOutcomeToldTwiceCountsOnce)
{
  this->Declare("p1", "run");
  this->Set(0.1);
  Outcome outcome;
  outcome.Number = 1;
  outcome.Step = 7;
  outcome.Changes.push_back({ "feed", PlainValue(0.5), PlainValue(0.1) });
  this->Apply("p1", 1, outcome);
  outcome.Step = 9;
  this->Apply("p1", 1, outcome);
  const auto found = std::get<Outcome>(this->Wait(1));
  EXPECT_TRUE(found.Applied);
  EXPECT_EQ(found.Step, 7);
  EXPECT_EQ(this->Heard, std::vector<std::uint64_t>{ 1 });
  // A replay's outcome has no number of ours and gets one.
  outcome.Number = 0;
  this->Apply("p1", 2, outcome);
  this->Apply("p1", 2, outcome);
  this->Service.reset();
  const auto logged = ReadSteeringLog(this->Log.string());
  ASSERT_EQ(logged.size(), 2u);
  EXPECT_EQ(logged[0].Step, 7);
  EXPECT_EQ(logged[1].Step, 9);
  EXPECT_EQ(logged[0].What.Set[0].second, PlainValue(0.1));
}

TEST_F(SteeringServiceTest, TheLogTellsWhatARunBeganFromAndAReplayPassesOverIt)
{
  this->Declare("p1", "first");
  this->Service->RunBegan({ 1, "sim", { "p1", "w1" }, {} });
  const RunOrigin from{ 1, "sim", "out.#.h5", 31, "/r/out.0300.h5", 300, 1e12 };
  this->Service->RunBegan({ 2, "sim", { "p2", "w2" }, from });
  this->Declare("p2", "second");
  this->Service->SetRun("p2", 2); // what can be steered was said after the first file
  Outcome outcome;
  outcome.Number = 0;
  outcome.Step = 400;
  outcome.Changes.push_back({ "feed", PlainValue(0.5), PlainValue(0.25) });
  this->Apply("p2", 1, outcome);
  const auto changed = this->Service->ChangedSince(2, from);
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].Old, PlainValue(0.5));
  EXPECT_EQ(changed[0].New, PlainValue(0.25));
  this->Service->RunBegan(
    { 3, "tool", { "w3" }, { { 2, "sim", "out.#.h5", 40, "/r/b.h5", 5, 1e12 } } });
  this->Declare("p4", "fourth");
  this->Service->RunBegan(
    { 4, "sim", { "p4" }, { { 2, "sim 2", "out.#.h5", 40, "/r/b.h5", 5, 1e12 } } });
  this->Service.reset();
  std::ifstream log(this->Log);
  const std::string text{ std::istreambuf_iterator<char>(log), {} };
  EXPECT_NE(text.find("\tsim\tsim\t300\t-\tbegan\t\"/r/out.0300.h5\"\t{}\t{}\n"), std::string::npos)
    << text;
  EXPECT_NE(text.find("\tsim\ttool\t5\t-\tbegan\t"), std::string::npos) << text;
  EXPECT_NE(
    text.find("\tbegan\t\"/r/b.h5\"\t{\"feed\": 0.25}\t{\"feed\": 0.5}\n"), std::string::npos)
    << text;
  const auto logged = ReadSteeringLog(this->Log.string());
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0].Step, 400);
}

TEST(SteeringLog, WhatNoServerWritesIsRefusedWithItsLine)
{
  const auto text = [](const char* number, const char* name, const char* value)
  { return fmt::format("# a log\n{}\tt\tada\tp\t5\t1.5\tset\t{}\t0\t{}\n", number, name, value); };
  const auto read = [](const std::string& log)
  {
    std::istringstream stream(log);
    return ReadSteeringLog(stream, "it");
  };
  const auto logged = read(text("3", "\"feed\"", "0.5"));
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0].What.Number, 3u);
  for (const auto& wrong : { text("-1", "\"feed\"", "0.5"), text("x", "\"feed\"", "0.5"),
         text("3", "feed", "0.5"), text("3", "\"feed\"", "{}") })
  {
    try
    {
      read(wrong);
      ADD_FAILURE() << wrong;
    }
    catch (const Error& error)
    {
      EXPECT_EQ(error.GetFault(), Fault::Usage);
      EXPECT_NE(std::string(error.what()).find("line 2 of it"), std::string::npos) << error.what();
    }
  }
}

TEST_F(SteeringServiceTest, ACommandedFileIsToldWithItsPath)
{
  this->Declare("p1", "run");
  const auto order = [this](std::uint64_t number)
  {
    SaveRequest save;
    save.For = number;
    this->Service->Request({ "p1", 1, "steer" }, { save, "sim" });
  };
  const auto found = [this](std::uint64_t number) { return std::get<Outcome>(this->Wait(number)); };
  const auto set = [this](double value)
  { return std::get<PendingAnswer>(this->Set(value)).Transaction; };
  Outcome saved;
  Outcome outcome;

  // Written after the command's outcome came.
  outcome.Number = set(0.1);
  order(outcome.Number);
  this->Apply("p1", 1, outcome);
  EXPECT_EQ(State(this->Wait(outcome.Number)), "pending");
  const auto pending = [this]
  {
    return std::get<SteeringStatus>(this->Service->Answer(StatusRequest(), "sim"))
      .Programs[0]
      .Pending;
  };
  EXPECT_EQ(pending(), std::vector<std::uint64_t>{ outcome.Number });
  saved.Number = this->Ordered;
  saved.Applied = true;
  saved.Detail.emplace().Path = "/x.h5";
  this->Service->Saved(saved);
  EXPECT_EQ(found(outcome.Number).Detail->Path, "/x.h5");
  EXPECT_TRUE(pending().empty());
  EXPECT_EQ(found(outcome.Number).Detail->Note, "written to /x.h5");

  // Failed before.
  outcome.Number = set(0.2);
  order(outcome.Number);
  saved = Outcome();
  saved.Number = this->Ordered;
  saved.Refusals.push_back({ "write to disk", "the disk is full" });
  this->Service->Saved(saved);
  this->Apply("p1", 2, outcome);
  EXPECT_TRUE(found(outcome.Number).Applied);
  EXPECT_EQ(found(outcome.Number).Detail->Note, "not written to disk: the disk is full");

  // One that has to wait says so at once; and nobody waits for a simulation that has gone.
  outcome.Number = set(0.3);
  order(outcome.Number);
  Outcome waits = outcome;
  waits.Detail.emplace().Note = "later";
  this->Apply("p1", 3, waits);
  EXPECT_EQ(found(outcome.Number).Detail->Note, "later");
  outcome.Number = set(0.4);
  order(outcome.Number);
  this->Apply("p1", 4, outcome);
  this->Service->Gone("p1", true);
  EXPECT_TRUE(found(outcome.Number).Applied);
}

TEST_F(SteeringServiceTest, WaitsEnd)
{
  this->Declare("p1", "run");
  this->Set(0.1);
  EXPECT_EQ(State(this->Wait(1, 0.01)), "pending");
  EXPECT_THROW(this->Wait(5), Error);
  auto waiting = std::async(std::launch::async, [this] { return this->Wait(1, 30); });
  this->Service->Gone("p1", false); // it ended: what was pending is refused, with a reason
  const auto refused = std::get<Outcome>(waiting.get());
  EXPECT_FALSE(refused.Applied);
  EXPECT_NE(refused.Refusals[0].Reason.find("ended"), std::string::npos);
}

TEST_F(SteeringServiceTest, AViewerThatVanishesLeavesNobodyPaused)
{
  this->Declare("p1", "run");
  this->Pause("viewer");
  Outcome paused;
  paused.Number = 1;
  paused.Commands.emplace_back("pause", 1);
  this->Apply("p1", 1, paused);
  this->Sent.clear();
  this->Service->Gone("viewer", true);
  ASSERT_EQ(this->Sent.size(), 1u);
  EXPECT_EQ(this->Sent[0].second.Transactions[0].Commands[0].first, "resume");
}

TEST_F(SteeringServiceTest, ARunTakesItsPredecessorsPlace)
{
  this->Declare("p1", "run 1");
  this->Declare("p2", "run 2");
  const auto status = [this]
  { return std::get<SteeringStatus>(this->Service->Answer(StatusRequest(), "")); };
  EXPECT_EQ(status().Programs[0].Name, "sim 2");
  this->Service->Gone("p1", true);
  this->Set(0.1, "sim");
  this->Declare("p3", "run 3");
  EXPECT_EQ(State(this->Wait(1)), "refused");
  EXPECT_EQ(status().Programs.size(), 2u);
}

TEST(SteeringText, AValueThatNoParameterTakesReachesWhoCanSaySo)
{
  const auto apply = std::get<ApplyRequest>(SteeringRequestFromText(
    R"({"do": "apply", "set": {"where": ["-", 0, 0], "feed": {"to": 4}}})"));
  ASSERT_EQ(apply.Set.size(), 2u);
  // In the order of the names.
  EXPECT_EQ(PlainValueText(apply.Set[1].second), R"(["-",0,0])");
  for (const auto& [name, value] : apply.Set)
  {
    EXPECT_THROW(ToValue(ValueType::Vector, value), Error) << name;
    EXPECT_THROW(ToValue(ValueType::Text, value), Error) << name;
  }
}

TEST(SteeringText, RequestsAreReadAndWhatIsNoneIsRefused)
{
  const auto apply = std::get<ApplyRequest>(SteeringRequestFromText(
    R"({"do": "apply", "set": {"feed": 4}, "commands": [{"name": "pause"}]})"));
  ASSERT_EQ(apply.Set.size(), 1u);
  EXPECT_EQ(apply.Set[0].second, PlainValue(4));
  ASSERT_EQ(apply.Commands.size(), 1u);
  EXPECT_EQ(apply.Commands[0].second, PlainValue());
  const auto status = std::get<StatusRequest>(SteeringRequestFromText(R"({"do": "status"})"));
  EXPECT_EQ(status.History, 1000u);
  for (const char* wrong : { "", "[]", "{}", R"({"do": "dance"})", R"({"do": "wait"})",
         R"({"do": "apply", "speed": 1})", R"({"do": "apply", "commands": ["pause"]})" })
  {
    EXPECT_THROW(SteeringRequestFromText(wrong), Error) << wrong;
  }
}

TEST(SteeringText, AnswersSayWhatScriptsRead)
{
  EXPECT_EQ(SteeringAnswerText(PendingAnswer{ 7 }), R"({"transaction":7,"state":"pending"})");
  Outcome outcome;
  outcome.Number = 8;
  outcome.Refusals.push_back({ "feed", "is out of range (maximum is 1)" });
  EXPECT_EQ(SteeringAnswerText(outcome),
    R"({"transaction":8,"who":"","state":"refused","step":0,"time":0.0,"changes":[],)"
    R"x("commands":[],"refusals":[{"name":"feed","reason":"is out of range (maximum is 1)"}]})x");
}

// Every kind of request and answer, over the channel and back.
TEST(SteeringText, RequestsAndAnswersTravel)
{
  DeclareRequest declare;
  declare.Program = "sim";
  declare.Offered.Parameters.push_back({});
  declare.Offered.Parameters.back().Name = "feed";
  declare.Offered.Parameters.back().Default = 0.5;
  declare.Offered.Parameters.back().Minimum = 0.25;
  declare.Offered.Commands.push_back({ "seed", "Seeds it", "Run", false });
  for (const SteeringRequest& request : std::vector<SteeringRequest>{
         ApplyRequest(), WaitRequest{ 7, 1.5 }, StatusRequest(), SaveRequest(), declare })
  {
    const auto back = Decode<RequestSteering>(Encode(RequestSteering{ request, "ada" }), "it");
    EXPECT_EQ(back.Request.index(), request.index());
    EXPECT_EQ(ToText(back), ToText(RequestSteering{ request, "ada" }));
  }
  for (const SteeringAnswer& answer : std::vector<SteeringAnswer>{
         Outcome(), PendingAnswer{ 7 }, SteeringStatus(), DeclaredAnswer{ "sim" } })
  {
    const auto back = Decode<AnsweredSteering>(Encode(AnsweredSteering{ answer }), "it");
    EXPECT_EQ(back.Answer.index(), answer.index());
  }
}

TEST(SteeringText, DeclarationsMayBeShort)
{
  const auto declared = [](const std::string& text)
  {
    return std::get<DeclareRequest>(
      SteeringRequestFromText(R"({"do": "declare", "declarations": )" + text + "}"))
      .Offered;
  };
  const auto offered = declared(R"({"parameters": [{"name": "feed", "default": 0.04},
    {"name": "mode", "choices": ["periodic", "mirror"]}], "commands": ["seed", {"name": "go"}]})");
  ASSERT_EQ(offered.Parameters.size(), 2u);
  EXPECT_EQ(offered.Parameters[0].Type, ValueType::Real);
  EXPECT_EQ(std::get<std::string>(offered.Parameters[1].Default), "periodic");
  ASSERT_EQ(offered.Commands.size(), 2u);
  EXPECT_EQ(offered.Commands[1].Name, "go");
  for (const char* wrong : { R"({"parameters": [{"name": "feed"}]})",
         R"({"parameters": [{"name": "feed", "default": 1, "colour": 2}]})",
         R"({"parameters": [{"name": "feed", "default": 1}], "commands": ["feed"]})",
         R"({"parameters": [{"default": 1}]})", R"({"commands": [7]})" })
  {
    EXPECT_THROW(declared(wrong), Error) << wrong;
  }
}

TEST(SteeringValue, NumbersKeepTheirBits)
{
  for (const double number : { 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0 })
  {
    const PlainValue read = PlainValueFromText(ValueText(Value(number)));
    EXPECT_EQ(std::get<double>(ToValue(ValueType::Real, read)), number);
  }
  const std::int64_t large = INT64_MAX;
  EXPECT_EQ(std::get<std::int64_t>(ToValue(ValueType::Integer, large)), large);
  EXPECT_THROW(ToValue(ValueType::Integer, UINT64_MAX), Error);
  EXPECT_THROW(ToValue(ValueType::Real, std::nan("")), Error);
  EXPECT_EQ(std::get<std::int64_t>(ToValue(ValueType::Integer, 4.0)), 4);
  EXPECT_THROW(ToValue(ValueType::Integer, 4.5), Error);
}
}
