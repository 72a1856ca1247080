// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Encoding/Encoding.h"

#include "ControlFixture.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace
{

using namespace dsm;
using dsm::testing::Contains;
using dsm::testing::TextOf;

struct Inner
{
  std::uint64_t Slot = 0;
  std::string Name;

  bool operator==(const Inner&) const = default;
};

struct Everything
{
  bool Flag = false;
  std::uint64_t Large = 0;
  std::int64_t Negative = 0;
  double Real = 0;
  std::string Text;
  Bytes Raw;
  PlainValue Plain;
  std::optional<std::string> Maybe;
  std::vector<Inner> List;
  std::map<std::string, double> Map;
  std::vector<std::pair<std::string, PlainValue>> Pairs;
  Inner One;

  bool operator==(const Everything&) const = default;
};

void Describe(Fields& fields, Inner& inner)
{
  fields.Within("Slot", inner.Slot, 0, 100);
  fields("Name", inner.Name);
}

void Describe(Fields& fields, Everything& all)
{
  fields("Flag", all.Flag);
  fields("Large", all.Large);
  fields("Negative", all.Negative);
  fields("Real", all.Real);
  fields("Text", all.Text);
  fields("Raw", all.Raw);
  fields("Plain", all.Plain);
  fields("Maybe", all.Maybe);
  fields("List", all.List);
  fields("Map", all.Map);
  fields("Pairs", all.Pairs);
  fields("One", all.One);
}

Everything Sample()
{
  Everything all;
  all.Flag = true;
  all.Large = std::numeric_limits<std::uint64_t>::max();
  all.Negative = std::numeric_limits<std::int64_t>::min();
  all.Real = 1.0 / 3;
  all.Text = "caf\xe9";
  all.Raw = { 0, 255, 7 };
  all.Plain = std::vector<double>{ 1, 2, 3 };
  all.Maybe = "here";
  all.List = { { 1, "a" }, { 2, "b" } };
  all.Map = { { "x", 0.5 } };
  all.Pairs = { { "p", 0.1 }, { "q", std::string("text") }, { "r", std::monostate() },
    { "s", Composite{ R"(["-",0])" } } };
  all.One = { 100, "c" };
  return all;
}

TEST(Encoding, ARecordComesBackAsItWas)
{
  EXPECT_EQ(Decode<Everything>(Encode(Sample()), "it"), Sample());
  EXPECT_EQ(Decode<Everything>(Encode(Everything()), "it"), Everything());
}

TEST(Encoding, TextKeepsTheOrderOfFieldsAndReadsBack)
{
  const Inner inner{ 7, "x" };
  EXPECT_EQ(ToText(inner), R"({"Slot":7,"Name":"x"})");
  EXPECT_EQ(FromText<Inner>(ToText(inner, 2), "it"), inner);
}

// What is wrong with a text for Inner.
std::string Complaint(const std::string& text)
{
  return TextOf(Fault::Refused, [&] { FromText<Inner>(text, "the slot"); });
}

TEST(Encoding, AComplaintNamesTheField)
{
  EXPECT_TRUE(Contains(Complaint(R"({"Name": "x"})"), "the slot: its \"Slot\" is missing"));
  EXPECT_TRUE(Contains(Complaint(R"({"Slot": -1, "Name": "x"})"), "\"Slot\" is a negative"));
  EXPECT_TRUE(Contains(Complaint(R"({"Slot": 101, "Name": "x"})"), "\"Slot\" is out of range"));
  EXPECT_TRUE(Contains(Complaint(R"({"Slot": 1, "Name": 2})"), "\"Name\" is a number"));
  EXPECT_TRUE(
    Contains(Complaint(R"({"Slot": 1, "Name": "x", "More": 2})"), "\"More\" is not known"));
  EXPECT_TRUE(Contains(Complaint("[1, 2]"), "no object"));
  EXPECT_TRUE(Contains(Complaint("{"), "no JSON"));
}

TEST(Encoding, AComplaintNamesTheWayToTheField)
{
  Everything all = Sample();
  all.List[1].Slot = 1000;
  const std::string text = TextOf(Fault::Refused, [&] { Decode<Everything>(Encode(all), "it"); });
  EXPECT_TRUE(Contains(text, "\"List.1.Slot\"")) << text;
}

TEST(Encoding, UnknownFieldsMayBeIgnored)
{
  const auto read =
    FromText<Inner>(R"({"Slot": 1, "Name": "x", "More": [{"deep": 1}]})", "it", Unknown::Ignored);
  EXPECT_EQ(read.Name, "x");
}

TEST(Encoding, BytesThatAreNoRecordAreRefused)
{
  const Bytes whole = Encode(Sample());
  for (std::size_t size = 0; size < whole.size(); ++size)
  {
    TextOf(
      Fault::Refused, [&] { Decode<Everything>(Bytes(whole.data(), whole.data() + size), "it"); });
  }
}

TEST(Encoding, WhatIsNestedWithoutBoundIsRefused)
{
  // Lists in lists, with and without their lengths; texts that consist of texts; tags of tags.
  for (const unsigned char first : { 0x81, 0x9f, 0x7f, 0x5f, 0xc1, 0xa1 })
  {
    EXPECT_THROW(Decode<Inner>(Bytes(60000, first), "it"), Error) << int(first);
  }
  EXPECT_THROW(FromText<Inner>(std::string(60000, '['), "it"), Error);
  EXPECT_THROW(FromText<Inner>(R"({"Slot":)" + std::string(60000, '['), "it"), Error);
  // Lengths that are not there.
  EXPECT_THROW(Decode<Inner>(Bytes{ 0x9b, 255, 255, 255, 255, 255, 255, 255, 255 }, "it"), Error);
  EXPECT_THROW(Decode<Inner>(Bytes{ 0x7b, 255, 255, 255, 255, 255, 255, 255, 255 }, "it"), Error);
}

// A large element of a list, and how many were made.
struct Counted
{
  static int Made;

  Counted() { ++Made; }
  std::array<std::uint64_t, 64> Content{};
};
int Counted::Made = 0;

void Describe(Fields& fields, Counted& counted)
{
  fields("First", counted.Content[0]);
}

struct ListOfCounted
{
  std::vector<Counted> List;
};

void Describe(Fields& fields, ListOfCounted& list)
{
  fields("List", list.List);
}

TEST(Encoding, AListCostsNoMoreThanWhatIsGoodInIt)
{
  const Bytes empty = EncodeFields(
    [](Fields& fields)
    {
      std::vector<Nothing> nothing(100000);
      fields("List", nothing);
    });
  const std::string text = TextOf(Fault::Refused, [&] { Decode<ListOfCounted>(empty, "it"); });
  EXPECT_TRUE(Contains(text, "\"List.0.First\" is missing")) << text;
  EXPECT_EQ(Counted::Made, 1);
}

TEST(Encoding, MoreValuesThanAnyRecordHasAreRefused)
{
  const auto list = [](std::uint32_t count)
  {
    Bytes bytes{ 0x9a };
    for (int shift = 24; shift >= 0; shift -= 8)
    {
      bytes.push_back(static_cast<std::uint8_t>(count >> shift));
    }
    bytes.resize(bytes.size() + count, 0xf6);
    return bytes;
  };
  const auto complaint = [&](std::uint32_t count)
  { return TextOf(Fault::Refused, [&] { Decode<Inner>(list(count), "it"); }); };
  EXPECT_TRUE(Contains(complaint((1U << 22) - 1), "no object"));
  EXPECT_TRUE(Contains(complaint(1U << 22), "not in the encoding"));
}

struct OneValue
{
  PlainValue Value;
};

void Describe(Fields& fields, OneValue& one)
{
  fields("Value", one.Value);
}

// A value comes in one message and goes on in others, where it stands deeper.
TEST(Encoding, AValueThatCouldNotBeHandedOnIsRefused)
{
  const auto nested = [](int depth)
  {
    return FromText<OneValue>(
      R"({"Value":)" + std::string(depth, '[') + "true" + std::string(depth, ']') + "}", "it");
  };
  const OneValue deepest = nested(8);
  EXPECT_EQ(Decode<OneValue>(Encode(deepest), "it").Value, deepest.Value);
  const std::string text = TextOf(Fault::Refused, [&] { nested(9); });
  EXPECT_TRUE(Contains(text, "\"Value\" is nested too deeply")) << text;
  const Bytes bytes = EncodeFields(
    [](Fields& fields)
    {
      Bytes some{ 1, 2 };
      fields("Value", some);
    });
  TextOf(Fault::Refused, [&] { Decode<OneValue>(bytes, "it"); });
}

TEST(PlainValue, ReadsBackToTheSameBits)
{
  for (const double number : { 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0 })
  {
    EXPECT_EQ(PlainValueFromText(PlainValueText(number)), PlainValue(number));
  }
  for (const char* text :
    { "true", "7", "-7", "18446744073709551615", "\"a\"", "null", "[1.0,2.5]" })
  {
    EXPECT_EQ(PlainValueText(PlainValueFromText(text)), text);
  }
  for (const char* text : { "", "{}", "[1, \"a\"]", "seven", "[[1]]" })
  {
    EXPECT_THROW(PlainValueFromText(text), Error) << text;
  }
}

}
