// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Client/Bindings.h"
#include "Client/ChangePlan.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>

namespace
{
using namespace dsm;

/// A program with a parameter of each type, and what its action heard.
class ChangePlanTest : public testing::Test
{
protected:
  ChangePlanTest()
  {
    this->Add("flag", ValueType::Bool, this->Flag);
    this->Add("count", ValueType::Integer, this->Count);
    this->Add("feed", ValueType::Real, this->Feed);
    this->Add("label", ValueType::Text, this->Label);
    this->Add("where", ValueType::Vector, this->Where);
    this->Known.SetMaximum("feed", 1);
    this->Known.AddCommand(
      { "seed", "", "", true }, [this](std::int64_t argument) { this->Heard += argument; });
  }

  template <typename T>
  void Add(const char* name, ValueType type, T& variable)
  {
    ParameterDeclaration declaration;
    declaration.Name = name;
    declaration.Type = type;
    this->Known.AddParameter(declaration,
      { [&variable] { return Value(variable); },
        [&variable](const Value& value) { variable = std::get<T>(value); } });
  }

  static Transaction Set(std::uint64_t number, const char* name, const PlainValue& value)
  {
    Transaction made;
    made.Number = number;
    made.Set.emplace_back(name, value);
    return made;
  }

  bool Flag = false;
  std::int64_t Count = 3;
  double Feed = 0.5;
  std::string Label = "first";
  Vector3 Where{ 0, 0, 0 };
  std::int64_t Heard = 0;
  Bindings Known;
};

TEST_F(ChangePlanTest, EveryTypeAndCommandArrives)
{
  Transaction all;
  all.Set = { { "flag", true }, { "count", std::int64_t(-9000000000) }, { "feed", 0.1 },
    { "label", std::string() }, { "where", std::vector<double>{ 1, 2.5, -3 } } };
  all.Commands = { { "seed", 5 }, { "seed", PlainValue() } };
  ChangePlan plan;
  plan.Add(this->Known.Declared(), all);
  this->Known.Apply(plan.Bytes, &plan.Before);
  EXPECT_TRUE(this->Flag);
  EXPECT_EQ(this->Count, -9000000000);
  EXPECT_EQ(this->Feed, 0.1);
  EXPECT_EQ(this->Label, "");
  EXPECT_EQ(this->Where, (Vector3{ 1, 2.5, -3 }));
  EXPECT_EQ(this->Heard, 6);
  EXPECT_EQ(this->Known.Commanded("seed"), 6);
}

TEST_F(ChangePlanTest, AnArrayThatCannotBeReadRefusesAllOfItsTransaction)
{
  std::string held;
  ParameterDeclaration declaration;
  declaration.Name = "field";
  declaration.Type = ValueType::Array;
  declaration.Array = { "float64", { 2 } };
  this->Known.AddParameter(declaration,
    { [&held] { return Value(held); },
      [&held](const Value& value) { held = std::get<std::string>(value); } });
  const std::string text = "float64 2 sha256:" + std::string(64, '0') + " snapshot:1 offset:2048";
  Transaction both = Set(1, "field", text);
  both.Set.emplace_back("feed", 0.125);

  ChangePlan gone;
  gone.Arrays.push_back({ text, nullptr, "cannot be read: it has gone" });
  gone.Add(this->Known.Declared(), both);
  ASSERT_EQ(gone.Outcomes[0].Refusals.size(), 1u);
  EXPECT_EQ(gone.Outcomes[0].Refusals[0].Reason, "cannot be read: it has gone");
  EXPECT_EQ(gone.Bytes, "");
  // Nor when other things are declared meanwhile.
  gone.Renew(this->Known.Declared());
  EXPECT_FALSE(gone.Outcomes[0].Applied);

  ChangePlan there;
  there.Arrays.push_back({ text, std::make_shared<std::byte[]>(16), "" });
  there.Add(this->Known.Declared(), both);
  this->Known.ForgetCommands();
  EXPECT_FALSE(this->Known.HasChanged("field"));
  this->Known.Apply(there.Bytes, &there.Before);
  EXPECT_EQ(held, text);
  EXPECT_EQ(this->Feed, 0.125);
  EXPECT_TRUE(this->Known.HasChanged("field"));
  EXPECT_FALSE(this->Known.HasChanged("count"));
  this->Known.ForgetCommands();
  EXPECT_FALSE(this->Known.HasChanged("field"));
}

TEST_F(ChangePlanTest, EachOutcomeTellsWhatItFound)
{
  // Two that change the same parameter at one step, and one between them that is refused.
  ChangePlan plan;
  plan.Add(this->Known.Declared(), Set(7, "feed", 0.25));
  ChangePlan later;
  later.Add(this->Known.Declared(), Set(8, "feed", 2));
  later.Add(this->Known.Declared(), Set(9, "feed", 0.75));
  plan.Append(std::move(later));
  this->Known.Apply(plan.Bytes, &plan.Before);
  plan.Step = 4;
  plan.Time = 0.5;
  const auto told = plan.Completed();
  ASSERT_EQ(told.size(), 3u);
  EXPECT_TRUE(told[0].Applied);
  EXPECT_EQ(told[0].Changes[0].Old, PlainValue(0.5));
  EXPECT_EQ(told[0].Changes[0].New, PlainValue(0.25));
  EXPECT_FALSE(told[1].Applied);
  EXPECT_EQ(told[1].Refusals[0].Name, "feed");
  EXPECT_EQ(told[1].Step, 4);
  EXPECT_EQ(told[2].Changes[0].Old, PlainValue(0.25));
  EXPECT_EQ(told[2].Number, 9u);
  EXPECT_EQ(told[2].Time, 0.5);
  EXPECT_EQ(this->Feed, 0.75);
}

TEST_F(ChangePlanTest, WhatIsDeclaredMeanwhileCounts)
{
  ChangePlan plan;
  plan.Add(this->Known.Declared(), Set(1, "feed", 0.9));
  plan.Add(this->Known.Declared(), Set(2, "more", 1));
  EXPECT_FALSE(plan.Outcomes[1].Applied);
  double more = 0;
  this->Add("more", ValueType::Real, more);
  this->Known.SetMaximum("feed", 0.8);
  plan.Renew(this->Known.Declared());
  EXPECT_FALSE(plan.Outcomes[0].Applied);
  EXPECT_TRUE(plan.Outcomes[1].Applied);
  this->Known.Apply(plan.Bytes, nullptr);
  EXPECT_EQ(this->Feed, 0.5);
  EXPECT_EQ(more, 1);
}

TEST_F(ChangePlanTest, BytesThatAreCutOffAreAnError)
{
  ChangePlan plan;
  plan.Add(this->Known.Declared(), Set(1, "label", "a text"));
  for (std::size_t size = 1; size < plan.Bytes.size(); ++size)
  {
    EXPECT_THROW(this->Known.Apply(plan.Bytes.substr(0, size), nullptr), Error) << size;
  }
  EXPECT_THROW(this->Known.Apply(std::string(9, '\x7f'), nullptr), Error);
}
}
