// SPDX-License-Identifier: BSD-3-Clause
// Our CBOR against that of nlohmann-json: each reads what the other writes.
#include "Base/Error.h"
#include "Encoding/Encoding.h"

#include "ControlFixture.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

namespace
{

using namespace dsm;
using dsm::testing::Contains;
using dsm::testing::TextOf;
using Document = nlohmann::ordered_json;

// Writes a document, or reads into it what has the same fields.
void Visit(Fields& fields, const char* name, Document& value);

void VisitEntries(Fields& fields, Document& record)
{
  for (auto& [name, value] : record.items())
  {
    Visit(fields, name.c_str(), value);
  }
}

void VisitList(Fields& fields, const char* name, Document& value)
{
  const std::vector<Document> expected(value.begin(), value.end());
  std::vector<Document> list = expected;
  std::size_t next = 0;
  fields.List(name, list,
    [&](Document& element)
    {
      element = next < expected.size() ? expected[next] : Document(false);
      Visit(fields, nullptr, element);
      ++next;
    });
  value = list;
}

template <typename T>
void VisitAs(Fields& fields, const char* name, Document& value)
{
  T content = fields.Reading() ? T() : value.get<T>();
  fields(name, content);
  value = content;
}

void Visit(Fields& fields, const char* name, Document& value)
{
  switch (value.type())
  {
    case Document::value_t::boolean:
      return VisitAs<bool>(fields, name, value);
    case Document::value_t::number_unsigned:
      return VisitAs<std::uint64_t>(fields, name, value);
    case Document::value_t::number_integer:
      return VisitAs<std::int64_t>(fields, name, value);
    case Document::value_t::number_float:
      return VisitAs<double>(fields, name, value);
    case Document::value_t::string:
      return VisitAs<std::string>(fields, name, value);
    case Document::value_t::binary:
    {
      Bytes bytes = fields.Reading() ? Bytes() : Bytes(value.get_binary());
      fields(name, bytes);
      value = Document::binary(bytes);
      return;
    }
    case Document::value_t::array:
      return VisitList(fields, name, value);
    case Document::value_t::object:
      return fields.Record(name, [&] { VisitEntries(fields, value); });
    default:
    {
      PlainValue none;
      fields(name, none);
      value = none == PlainValue() ? Document(nullptr) : Document("another value");
    }
  }
}

Bytes Encoded(Document document)
{
  return EncodeFields([&](Fields& fields) { VisitEntries(fields, document); });
}

Document Decoded(const Bytes& bytes, Document document, Unknown unknown = Unknown::Refused)
{
  DecodeFields(
    bytes.data(), bytes.size(), "it", [&](Fields& fields) { VisitEntries(fields, document); },
    unknown);
  return document;
}

class RandomDocuments
{
public:
  explicit RandomDocuments(unsigned seed)
    : Random(seed)
  {
  }

  /// A record; nested no deeper than that.
  Document Record(int deepest)
  {
    Document record = Document::object();
    for (std::size_t left = this->Size(); left > 0; --left)
    {
      record[this->Text()] = this->Value(deepest);
    }
    return record;
  }

  std::uint64_t Below(std::uint64_t end) { return this->Random() % end; }

private:
  // Mostly few; sometimes more than a head of one or two bytes tells, or than are left unsorted.
  std::size_t Size()
  {
    const std::uint64_t kind = this->Below(20);
    return kind == 0 ? this->Below(300) : kind == 1 ? this->Below(30) : this->Below(6);
  }

  std::string Text()
  {
    std::string text(this->Size(), 0);
    for (char& letter : text)
    {
      letter = static_cast<char>('a' + this->Below(26));
    }
    return text;
  }

  // Of all widths.
  std::uint64_t Number() { return this->Random() >> this->Below(64); }

  double Real()
  {
    const double real =
      std::ldexp(static_cast<double>(this->Number()), static_cast<int>(this->Below(400)) - 200);
    return this->Below(2) ? real : -static_cast<double>(static_cast<float>(this->Below(1000)) / 8);
  }

  Document List(int deepest)
  {
    Document list = Document::array();
    for (std::size_t left = this->Size(); left > 0; --left)
    {
      list.push_back(this->Value(deepest));
    }
    return list;
  }

  Document Value(int deepest)
  {
    switch (this->Below(deepest > 0 ? 9 : 7))
    {
      case 0:
        return this->Below(2) == 0;
      case 1:
        return this->Number();
      case 2:
        return -1 - static_cast<std::int64_t>(this->Number() >> 1);
      case 3:
        return this->Real();
      case 4:
        return this->Text();
      case 5:
      {
        const std::string text = this->Text();
        return Document::binary(Bytes(text.begin(), text.end()));
      }
      case 6:
        return nullptr;
      case 7:
        return this->List(deepest - 1);
      default:
        return this->Record(deepest - 1);
    }
  }

  std::mt19937_64 Random;
};

TEST(CborFields, WritesWhatTheLibraryWrites)
{
  for (unsigned seed = 0; seed < 300; ++seed)
  {
    const Document document = RandomDocuments(seed).Record(4);
    EXPECT_EQ(Encoded(document), Document::to_cbor(document)) << seed;
  }
}

TEST(CborFields, ReadsWhatTheLibraryWritesInAnyOrder)
{
  for (unsigned seed = 0; seed < 300; ++seed)
  {
    const Document document = RandomDocuments(seed).Record(4);
    EXPECT_EQ(Decoded(Document::to_cbor(document), document), document) << seed;
    // With its names sorted, as these documents of the library are.
    const nlohmann::json sorted = nlohmann::json::from_cbor(Document::to_cbor(document));
    EXPECT_EQ(Decoded(nlohmann::json::to_cbor(sorted), document), document) << seed;
  }
}

TEST(CborFields, RefusesWhatIsCutOff)
{
  for (unsigned seed = 0; seed < 50; ++seed)
  {
    const Document document = RandomDocuments(seed).Record(2);
    const Bytes whole = Encoded(document);
    for (std::size_t size = 0; size < std::min<std::size_t>(whole.size(), 150); ++size)
    {
      // A copy of its own, so that a sanitizer sees who reads on.
      const Bytes some(whole.data(), whole.data() + size);
      const std::string text = TextOf(Fault::Refused, [&] { Decoded(some, document); });
      EXPECT_TRUE(Contains(text, "not in the encoding")) << text;
    }
  }
}

TEST(CborFields, ReadsNothingThatTheLibraryDoesNot)
{
  int read = 0;
  int refused = 0;
  for (unsigned seed = 0; seed < 50; ++seed)
  {
    RandomDocuments random(seed);
    const Document document = random.Record(2);
    const Bytes whole = Encoded(document);
    for (std::size_t place = 0; place < std::min<std::size_t>(whole.size(), 150); ++place)
    {
      Bytes changed = whole;
      changed[place] = static_cast<std::uint8_t>(random.Below(256));
      try
      {
        Decoded(changed, Document::object(), Unknown::Ignored); // whatever its fields are
        ++read;
        const auto theirs = nlohmann::json::from_cbor(changed, true, false);
        EXPECT_TRUE(theirs.is_object()) << seed << ' ' << place;
        Decoded(changed, document); // the same fields, of the same types
      }
      catch (const Error& error)
      {
        EXPECT_EQ(error.GetFault(), Fault::Refused);
        ++refused;
      }
    }
  }
  EXPECT_GT(read, 1000);
  EXPECT_GT(refused, 1000);
}

struct Numbers
{
  std::uint64_t Natural = 0;
  std::int64_t Whole = 0;
  double Real = 0;
};

void Describe(Fields& fields, Numbers& numbers)
{
  fields("Natural", numbers.Natural);
  fields("Whole", numbers.Whole);
  fields("Real", numbers.Real);
}

// Bytes of one field, as what is behind its name says.
Bytes With(const std::string& name, const Bytes& value)
{
  Bytes bytes{ 0xa1, static_cast<std::uint8_t>(0x60 + name.size()) };
  bytes.insert(bytes.end(), name.begin(), name.end());
  bytes.insert(bytes.end(), value.begin(), value.end());
  return bytes;
}

template <typename T>
T One(const Bytes& value)
{
  T read{};
  const Bytes bytes = With("x", value);
  DecodeFields(bytes.data(), bytes.size(), "it", [&](Fields& fields) { fields("x", read); });
  return read;
}

TEST(CborFields, NumbersMayBeWrittenWiderThanTheyNeedToBe)
{
  for (const Bytes& five : { Bytes{ 5 }, Bytes{ 0x18, 5 }, Bytes{ 0x19, 0, 5 },
         Bytes{ 0x1a, 0, 0, 0, 5 }, Bytes{ 0x1b, 0, 0, 0, 0, 0, 0, 0, 5 } })
  {
    EXPECT_EQ(One<std::uint64_t>(five), 5U);
    EXPECT_EQ(One<std::int64_t>(five), 5);
    EXPECT_EQ(One<double>(five), 5);
    Bytes negative = five;
    negative.front() |= 0x20;
    EXPECT_EQ(One<std::int64_t>(negative), -6);
    EXPECT_EQ(One<double>(negative), -6);
  }
  // Half a one, in 2, 4 and 8 bytes; and what else 2 bytes can say (RFC 8949, appendix A).
  EXPECT_EQ(One<double>({ 0xf9, 0x38, 0 }), 0.5);
  EXPECT_EQ(One<double>({ 0xfa, 0x3f, 0, 0, 0 }), 0.5);
  EXPECT_EQ(One<double>({ 0xfb, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0 }), 0.5);
  EXPECT_EQ(One<double>({ 0xf9, 0x7b, 0xff }), 65504);
  EXPECT_EQ(One<double>({ 0xf9, 0, 1 }), 5.960464477539063e-8);
  EXPECT_EQ(One<double>({ 0xf9, 0xc4, 0 }), -4);
  EXPECT_EQ(One<double>({ 0xf9, 0xfc, 0 }), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(One<double>({ 0xf9, 0x7e, 0 })));
}

TEST(CborFields, RealsComeBackToTheSameBits)
{
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double real : { 0.0, -0.0, 0.1, 0.5, 1e300, 5e-324, 3.4028234663852886e38,
         3.4028235677973366e38, infinite, -infinite })
  {
    Numbers numbers;
    numbers.Real = real;
    const double back = Decode<Numbers>(Encode(numbers), "it").Real;
    EXPECT_EQ(back, real);
    EXPECT_EQ(std::signbit(back), std::signbit(real));
  }
  Numbers numbers;
  numbers.Real = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(Decode<Numbers>(Encode(numbers), "it").Real));
}

TEST(CborFields, NumbersOutOfRangeAreRefused)
{
  const Bytes large{ 0x1b, 0x80, 0, 0, 0, 0, 0, 0, 0 };
  const Bytes small{ 0x3b, 0x80, 0, 0, 0, 0, 0, 0, 0 };
  EXPECT_EQ(One<std::uint64_t>(large), std::uint64_t(1) << 63);
  EXPECT_EQ(One<double>(small), -9223372036854775809.0);
  for (const Bytes& bytes : { large, small })
  {
    const std::string text = TextOf(Fault::Refused, [&] { One<std::int64_t>(bytes); });
    EXPECT_EQ(text, "it: its \"x\" is out of range");
  }
}

TEST(CborFields, RefusesWhatIsNotInTheEncoding)
{
  const std::map<std::string, Bytes> values{ { "undefined", { 0xf7 } }, { "simple", { 0xe0 } },
    { "simple of two bytes", { 0xf8, 20 } }, { "tagged", { 0xc1, 0 } },
    { "reserved", { 0x1c, 0, 0, 0, 0 } }, { "open text", { 0x7f, 0x61, 'a', 0xff } },
    { "open list", { 0x9f, 0xff } }, { "open map", { 0xbf, 0xff } }, { "end", { 0xff } },
    { "a name that is a number", { 0xa1, 0, 0 } }, { "two items", { 0, 0 } },
    { "a name without a value", { 0xa1, 0x61, 'a' } } };
  for (const auto& [what, value] : values)
  {
    const std::string text = TextOf(Fault::Refused, [&] { One<PlainValue>(value); });
    EXPECT_EQ(text, "it is not in the encoding of our messages (CBOR)") << what;
  }
  EXPECT_EQ(One<PlainValue>({ 0xf6 }), PlainValue());
  const Bytes numbered{ 0xa1, 0, 0 };
  EXPECT_TRUE(Contains(
    TextOf(Fault::Refused, [&] { Decoded(numbered, Document::object()); }), "not in the encoding"));
}

TEST(CborFields, NestsAsDeepAsTheBoundAndNoDeeper)
{
  const auto read = [](int lists)
  {
    Bytes nested(static_cast<std::size_t>(lists), 0x81);
    nested.back() = 0x80;
    Decoded(With("x", nested), Document::object(), Unknown::Ignored);
  };
  read(31);
  EXPECT_THROW(read(32), Error);
}

struct Entry
{
  bool Flag = false;
  std::uint64_t Natural = 0;
  std::int64_t Whole = 0;
  double Real = 0;
  std::string Text;
  std::vector<Numbers> List;
  std::map<std::string, Numbers> Map;
  std::optional<std::string> Maybe;
};

void Describe(Fields& fields, Entry& entry)
{
  fields("Flag", entry.Flag);
  fields("Natural", entry.Natural);
  fields.Within("Whole", entry.Whole, -5, 5);
  fields("Real", entry.Real);
  fields("Text", entry.Text);
  fields("List", entry.List);
  fields("Map", entry.Map);
  fields("Maybe", entry.Maybe);
}

// Whoever reads a complaint need not know whether a text or bytes were read.
TEST(CborFields, ComplainsAsOfText)
{
  const Document numbers{ { "Natural", 1 }, { "Whole", 2 }, { "Real", 3.5 } };
  const Document good{ { "Flag", true }, { "Natural", 1 }, { "Whole", -1 }, { "Real", 0.5 },
    { "Text", "t" }, { "List", { numbers, numbers } }, { "Map", { { "m", numbers } } },
    { "Maybe", "x" } };
  EXPECT_EQ(ToText(FromText<Entry>(good.dump(), "it")),
    ToText(Decode<Entry>(Document::to_cbor(good), "it")));
  std::vector<Document> bad;
  const std::vector<Document> values{ nullptr, true, 7, -7, std::uint64_t(1) << 63, 0.5, "text",
    Document::array(), Document::array({ 1 }), Document::object(),
    Document::object({ { "Natural", 1 } }) };
  for (const char* place : { "/Flag", "/Natural", "/Whole", "/Real", "/Text", "/List", "/Map",
         "/Maybe", "/More", "/List/1", "/List/1/Natural", "/List/1/Whole", "/List/0/More", "/Map/m",
         "/Map/m/Real", "/Map/m/More" })
  {
    const Document::json_pointer at(place);
    for (const Document& value : values)
    {
      bad.push_back(good);
      bad.back()[at] = value;
    }
    if (good.contains(at) && at.back() != "1" && at.back() != "m")
    {
      bad.push_back(good);
      bad.back()[at.parent_pointer()].erase(at.back());
    }
  }
  int refused = 0;
  for (const Document& document : bad)
  {
    const auto complaint = [](const std::function<void()>& read) -> std::string
    {
      try
      {
        read();
        return {};
      }
      catch (const Error& error)
      {
        return error.what();
      }
    };
    const std::string ofText = complaint([&] { FromText<Entry>(document.dump(), "it"); });
    const std::string ofBytes =
      complaint([&] { Decode<Entry>(Document::to_cbor(document), "it"); });
    EXPECT_EQ(ofBytes, ofText) << document.dump();
    refused += ofText.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 100);
}

// A record of that many fields, with names in falling order, and one of them again.
Bytes Falling(int count, const std::string& again)
{
  Bytes bytes = Document::to_cbor(Document(std::vector<int>(static_cast<std::size_t>(count) + 1)));
  bytes.resize(bytes.size() - static_cast<std::size_t>(count) - 1);
  bytes.front() |= 0x20; // a map instead of a list
  for (int number = count; number >= 0; --number)
  {
    const std::string name = number > 0 ? fmt::format("{:04}", number) : again;
    const Bytes entry = Document::to_cbor(name);
    bytes.insert(bytes.end(), entry.begin(), entry.end());
    bytes.push_back(7);
  }
  return bytes;
}

struct Named
{
  std::map<std::string, std::uint64_t> All;
};

void Describe(Fields& fields, Named& named)
{
  for (const std::string& name : fields.Names())
  {
    fields(name.c_str(), named.All[name]);
  }
}

TEST(CborFields, ANameThatIsThereTwiceIsRefused)
{
  for (const int count : { 3, 23, 64, 65, 1000 })
  {
    const std::string text =
      TextOf(Fault::Refused, [&] { Decode<Named>(Falling(count, "0002"), "it"); });
    EXPECT_EQ(text, "it: its \"0002\" is there twice");
  }
}

TEST(CborFields, FindsEachOfManyFieldsInAnyOrder)
{
  for (const int count : { 3, 23, 64, 65, 1000 })
  {
    const Bytes bytes = Falling(count, "0000");
    EXPECT_EQ(Decode<Named>(bytes, "it").All.size(), static_cast<std::size_t>(count) + 1);
    DecodeFields(bytes.data(), bytes.size(), "it",
      [&](Fields& fields)
      {
        for (const int first : { 1, 0 }) // odd ones, then even ones
        {
          for (int number = first; number <= count; number += 2)
          {
            const std::string name = fmt::format("{:04}", number);
            std::uint64_t value = 0;
            EXPECT_TRUE(fields.Has(name.c_str()));
            fields(name.c_str(), value);
            EXPECT_EQ(value, 7U);
          }
        }
        EXPECT_FALSE(fields.Has("00000"));
        EXPECT_FALSE(fields.Has("9999"));
        EXPECT_FALSE(fields.Has(""));
      });
  }
}

TEST(CborFields, ARecordHasItsOwnNamesAgainBehindOneInIt)
{
  const Bytes bytes =
    Document::to_cbor({ { "Inner", Document::object({ { "a", 1 } }) }, { "Last", true } });
  DecodeFields(bytes.data(), bytes.size(), "it",
    [](Fields& fields)
    {
      std::map<std::string, std::uint64_t> inner;
      fields("Inner", inner);
      EXPECT_EQ(inner, (std::map<std::string, std::uint64_t>{ { "a", 1 } }));
      EXPECT_EQ(fields.Names(), (std::vector<std::string>{ "Inner", "Last" }));
      bool last = false;
      fields("Last", last);
    });
}

}
