// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Steering/SteeringDesk.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <future>

#include <unistd.h>

namespace
{
using namespace dsm;
using Json = nlohmann::json;

/// A desk whose messages are kept, and a simulation with one parameter.
class SteeringDeskTest : public testing::Test
{
protected:
  SteeringDeskTest()
  {
    this->Log = std::filesystem::temp_directory_path() /
      ("dsm-steering-" + std::to_string(getpid()) + ".log");
    std::filesystem::remove(this->Log);
    SteeringDesk::Mail mail;
    mail.Send = [this](const std::string& peer, Json event)
    { this->Sent.emplace_back(peer, std::move(event)); };
    mail.Reply = [this](const std::string& peer, const Json&, Json reply)
    { this->Replies.emplace_back(peer, std::move(reply)); };
    mail.Save = [this](std::uint64_t number, const Json&)
    {
      this->Ordered = number;
      return std::string();
    };
    this->Desk = std::make_unique<SteeringDesk>(
      this->Log.string(), std::move(mail), SteeringDesk::Orphaned::Resume);
  }

  ~SteeringDeskTest() override
  {
    this->Desk.reset();
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
    this->Desk->Received(peer,
      { { "ask", "declare" }, { "program", "sim" }, { "instance", instance },
        { "received", received }, { "declarations", offered }, { "values", { { "feed", 0.5 } } } });
  }

  Json Set(const Json& value)
  {
    return this->Desk->Answer({ { "do", "apply" }, { "set", { { "feed", value } } } }, "ada");
  }

  void Apply(const std::string& peer, std::uint64_t ticket, Outcome outcome)
  {
    outcome.Applied = true;
    this->Desk->Received(peer,
      { { "ask", "applied" },
        { "outcomes", Json::array({ { { "ticket", ticket }, { "outcome", outcome } } }) } });
  }

  static std::vector<std::uint64_t> Numbers(const Json& event)
  {
    std::vector<std::uint64_t> numbers;
    for (const auto& transaction : event.value("transactions", Json::array()))
    {
      numbers.push_back(transaction.at("number").get<std::uint64_t>());
    }
    return numbers;
  }

  std::filesystem::path Log;
  std::vector<std::pair<std::string, Json>> Sent;
  std::vector<std::pair<std::string, Json>> Replies;
  std::uint64_t Ordered = 0; ///< the last order to save
  std::unique_ptr<SteeringDesk> Desk;
};

TEST_F(SteeringDeskTest, OneThatComesBackGetsWhatItMissedAndNoMore)
{
  EXPECT_THROW(this->Set(0.1), Error);
  this->Declare("p1", "run");
  EXPECT_EQ(this->Set(0.1).at("state"), "pending");
  EXPECT_EQ(Numbers(this->Sent.back().second), std::vector<std::uint64_t>{ 1 });
  this->Desk->Gone("p1", true);
  this->Sent.clear();
  this->Set(0.2);
  this->Set(0.3);
  EXPECT_TRUE(this->Sent.empty());
  this->Declare("p2", "run", 1);
  ASSERT_EQ(this->Sent.size(), 1u);
  EXPECT_EQ(this->Sent[0].first, "p2");
  EXPECT_EQ(Numbers(this->Sent[0].second), (std::vector<std::uint64_t>{ 2, 3 }));
}

TEST_F(SteeringDeskTest, AFloodIsSentAsItIsAnswered)
{
  this->Declare("p1", "run");
  constexpr std::uint64_t changes = 3000;
  for (std::uint64_t change = 1; change <= changes; ++change)
  {
    ASSERT_EQ(this->Set(1.0 / double(change)).at("state"), "pending");
  }
  std::uint64_t last = 0;
  std::uint64_t answered = 0;
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

TEST_F(SteeringDeskTest, APauseOnItsWayIsUndoneWhenItsViewerDies)
{
  this->Declare("p1", "run");
  this->Desk->Received("v",
    { { "ask", "steer" },
      { "request",
        { { "do", "apply" }, { "commands", Json::array({ { { "name", "pause" } } }) } } } });
  this->Sent.clear();
  this->Desk->Gone("v", true);
  ASSERT_EQ(this->Sent.size(), 1u);
  EXPECT_EQ(this->Sent[0].second.at("transactions")[0].at("commands")[0][0], "resume");
}

TEST_F(SteeringDeskTest, AnOutcomeToldTwiceCountsOnce)
{
  this->Declare("p1", "run");
  this->Set(0.1);
  Outcome outcome;
  outcome.Number = 1;
  outcome.Step = 7;
  outcome.Changes.push_back({ "feed", 0.5, 0.1 });
  this->Apply("p1", 1, outcome);
  outcome.Step = 9;
  this->Apply("p1", 1, outcome);
  const Json found = this->Desk->Answer({ { "do", "wait" }, { "transaction", 1 } }, "ada");
  EXPECT_EQ(found.at("state"), "applied");
  EXPECT_EQ(found.at("step"), 7);
  EXPECT_EQ(this->Sent.back().second.at("event"), "acknowledged");
  // A replay's outcome has no number of ours and gets one.
  outcome.Number = 0;
  this->Apply("p1", 2, outcome);
  this->Apply("p1", 2, outcome);
  this->Desk.reset();
  const auto logged = ReadSteeringLog(this->Log.string());
  ASSERT_EQ(logged.size(), 2u);
  EXPECT_EQ(logged[0].Step, 7);
  EXPECT_EQ(logged[1].Step, 9);
  EXPECT_EQ(logged[0].What.Set[0].second, 0.1);
}

TEST_F(SteeringDeskTest, ACommandedFileIsToldWithItsPath)
{
  this->Declare("p1", "run");
  const auto order = [this](std::uint64_t number)
  {
    this->Desk->Received(
      "p1", { { "ask", "steer" }, { "request", { { "do", "save" }, { "for", number } } } });
  };
  const auto found = [this](std::uint64_t number)
  { return this->Desk->Answer({ { "do", "wait" }, { "transaction", number } }, "ada"); };
  Outcome saved;
  Outcome outcome;

  // Written after the command's outcome came.
  outcome.Number = this->Set(0.1).at("transaction");
  order(outcome.Number);
  this->Apply("p1", 1, outcome);
  EXPECT_EQ(found(outcome.Number).at("state"), "pending");
  saved.Number = this->Ordered;
  saved.Applied = true;
  saved.Detail = { { "path", "/x.h5" } };
  this->Desk->Saved(saved);
  EXPECT_EQ(found(outcome.Number).at("detail").at("path"), "/x.h5");
  EXPECT_EQ(found(outcome.Number).at("detail").at("note"), "written to /x.h5");

  // Failed before.
  outcome.Number = this->Set(0.2).at("transaction");
  order(outcome.Number);
  saved = Outcome();
  saved.Number = this->Ordered;
  saved.Refusals.push_back({ "write to disk", "the disk is full" });
  this->Desk->Saved(saved);
  this->Apply("p1", 2, outcome);
  EXPECT_EQ(found(outcome.Number).at("state"), "applied");
  EXPECT_EQ(found(outcome.Number).at("detail").at("note"), "not written to disk: the disk is full");

  // One that has to wait says so at once; and nobody waits for a simulation that has gone.
  outcome.Number = this->Set(0.3).at("transaction");
  order(outcome.Number);
  Outcome waits = outcome;
  waits.Detail = { { "note", "later" } };
  this->Apply("p1", 3, waits);
  EXPECT_EQ(found(outcome.Number).at("detail").at("note"), "later");
  outcome.Number = this->Set(0.4).at("transaction");
  order(outcome.Number);
  this->Apply("p1", 4, outcome);
  this->Desk->Gone("p1", true);
  EXPECT_EQ(found(outcome.Number).at("state"), "applied");
}

TEST_F(SteeringDeskTest, WaitsEnd)
{
  this->Declare("p1", "run");
  this->Set(0.1);
  EXPECT_EQ(
    this->Desk->Answer({ { "do", "wait" }, { "transaction", 1 }, { "seconds", 0.01 } }, "ada")
      .at("state"),
    "pending");
  EXPECT_THROW(this->Desk->Answer({ { "do", "wait" }, { "transaction", 5 } }, "ada"), Error);
  EXPECT_THROW(this->Desk->Answer({ { "do", "dance" } }, "ada"), Error);
  EXPECT_THROW(
    this->Desk->Received("v", { { "ask", "steer" }, { "request", { { "do", "dance" } } } }), Error);
  auto waiting = std::async(std::launch::async,
    [this]
    {
      return this->Desk->Answer(
        { { "do", "wait" }, { "transaction", 1 }, { "seconds", 30 } }, "ada");
    });
  this->Desk->Gone("p1", false); // it ended: what was pending is refused, with a reason
  const Json refused = waiting.get();
  EXPECT_EQ(refused.at("state"), "refused");
  EXPECT_NE(
    refused.at("refusals")[0].at("reason").get<std::string>().find("ended"), std::string::npos);
}

TEST_F(SteeringDeskTest, AViewerThatVanishesLeavesNobodyPaused)
{
  this->Declare("p1", "run");
  this->Desk->Received("viewer",
    { { "ask", "steer" },
      { "request",
        { { "do", "apply" }, { "commands", Json::array({ { { "name", "pause" } } }) } } } });
  Outcome paused;
  paused.Number = 1;
  paused.Commands.emplace_back("pause", 1);
  this->Apply("p1", 1, paused);
  this->Sent.clear();
  this->Desk->Gone("viewer", true);
  ASSERT_EQ(this->Sent.size(), 1u);
  EXPECT_EQ(this->Sent[0].second.at("transactions")[0].at("commands")[0][0], "resume");
}

TEST_F(SteeringDeskTest, ARunTakesItsPredecessorsPlace)
{
  this->Declare("p1", "run 1");
  this->Declare("p2", "run 2");
  EXPECT_EQ(this->Desk->Answer({ { "do", "status" } }, "").at("programs")[0].at("name"), "sim 2");
  this->Desk->Gone("p1", true);
  this->Desk->Answer(
    { { "do", "apply" }, { "program", "sim" }, { "set", { { "feed", 0.1 } } } }, "ada");
  this->Declare("p3", "run 3");
  EXPECT_EQ(
    this->Desk->Answer({ { "do", "wait" }, { "transaction", 1 } }, "").at("state"), "refused");
  EXPECT_EQ(this->Desk->Answer({ { "do", "status" } }, "").at("programs").size(), 2u);
}

TEST(SteeringValue, NumbersKeepTheirBits)
{
  for (const double number : { 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0 })
  {
    const Json read = Json::parse(ValueText(Value(number)));
    EXPECT_EQ(std::get<double>(ValueFromJson(ValueType::Real, read)), number);
  }
  const std::int64_t large = INT64_MAX;
  EXPECT_EQ(std::get<std::int64_t>(ValueFromJson(ValueType::Integer, Json(large))), large);
  EXPECT_THROW(ValueFromJson(ValueType::Integer, Json(UINT64_MAX)), Error);
  EXPECT_THROW(ValueFromJson(ValueType::Real, Json(std::nan(""))), Error);
  EXPECT_EQ(std::get<std::int64_t>(ValueFromJson(ValueType::Integer, Json(4.0))), 4);
  EXPECT_THROW(ValueFromJson(ValueType::Integer, Json(4.5)), Error);
}
}
