// SPDX-License-Identifier: BSD-3-Clause
#include "Encoding/CborReader.h"

#include "Base/Error.h"
#include "Encoding/Bounds.h"
#include "Encoding/PlainJson.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace dsm
{

namespace
{
// Records of ours have no more; the entries of others are sorted, so that no order of names makes
// looking for each of them take forever.
constexpr std::size_t MostUnsorted = 64;

constexpr auto MostSigned = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

bool IsFloat(const CborHead& head)
{
  return head.Type == CborType::Simple && head.Detail >= CborHead::Half;
}

bool IsWhole(const CborHead& head)
{
  return head.Type == CborType::Unsigned || head.Type == CborType::Negative;
}

// As JSON calls it.
const char* TypeName(const CborHead& head)
{
  switch (head.Type)
  {
    case CborType::Bytes:
      return "binary";
    case CborType::Text:
      return "string";
    case CborType::List:
      return "array";
    case CborType::Map:
      return "object";
    default:
      return IsWhole(head) || IsFloat(head) ? "number"
        : head.Detail == CborHead::Null     ? "null"
                                            : "boolean";
  }
}

// RFC 8949, appendix D: 1 bit of sign, 5 of the exponent, 10 of the fraction.
double HalfPrecision(std::uint64_t bits)
{
  const auto exponent = static_cast<int>(bits >> 10 & 31);
  const auto fraction = static_cast<double>(bits & 1023);
  double value =
    exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  if (exponent == 31)
  {
    value = fraction == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  }
  return bits >> 15 ? -value : value;
}

double NumberOf(const CborHead& head)
{
  if (head.Type == CborType::Unsigned)
  {
    return static_cast<double>(head.Argument);
  }
  if (head.Type == CborType::Negative)
  {
    return -1 - static_cast<double>(head.Argument);
  }
  switch (head.Detail)
  {
    case CborHead::Half:
      return HalfPrecision(head.Argument);
    case CborHead::Single:
      return std::bit_cast<float>(static_cast<std::uint32_t>(head.Argument));
    default:
      return std::bit_cast<double>(head.Argument);
  }
}
}

CborReader::CborReader(const std::uint8_t* data, std::size_t size, std::string_view what)
  : What(what)
  , DataEnd(data + size)
{
  this->Open.reserve(8);
  this->Entries.reserve(MostUnsorted);
  CborCursor cursor(data, this->DataEnd);
  CborHead head;
  const bool isRecord = cursor.Read(head) && head.Type == CborType::Map;
  if (!isRecord)
  {
    cursor = CborCursor(data, this->DataEnd);
  }
  // This goes through all bytes: nothing read later can be anything else than what we encode.
  const bool isSound = isRecord ? this->Index(cursor, head.Argument) : cursor.Skip(DeepestNesting);
  if (!isSound || !cursor.IsAtEnd())
  {
    throw Error(Fault::Refused, "{} is not in the encoding of our messages (CBOR)", this->What);
  }
  if (!isRecord)
  {
    throw Error(Fault::Refused, "{} is no object with named fields", this->What);
  }
  this->Open.push_back({ .Size = head.Argument });
}

void CborReader::Finish()
{
  this->CheckComplete();
}

// Of a record's entries, at whose first the cursor stands. False when there is something in them
// that we do not encode.
bool CborReader::Index(CborCursor& cursor, std::uint64_t size)
{
  const std::size_t first = this->Entries.size();
  for (std::uint64_t entry = 0; entry < size; ++entry)
  {
    CborHead head;
    if (!cursor.Read(head) || head.Type != CborType::Text)
    {
      return false;
    }
    const std::string_view name = cursor.Take(head.Argument);
    this->Entries.push_back({ name, cursor.Position() });
    if (!cursor.Skip(DeepestNesting - 1))
    {
      return false;
    }
  }
  if (size > MostUnsorted)
  {
    std::sort(this->Entries.begin() + static_cast<std::ptrdiff_t>(first), this->Entries.end(),
      [](const Entry& left, const Entry& right) { return left.Name < right.Name; });
  }
  return true;
}

// In the innermost record: the number of its entry, or None.
std::size_t CborReader::Find(std::string_view name) const
{
  const Level& level = this->Open.back();
  if (level.IsList)
  {
    return None;
  }
  const Entry* entries = this->Entries.data() + level.FirstEntry;
  if (level.Next < level.Size && entries[level.Next].Name == name)
  {
    return level.Next;
  }
  const Entry* end = entries + level.Size;
  const Entry* found = level.Size > MostUnsorted
    ? std::lower_bound(entries, end, name,
        [](const Entry& entry, std::string_view wanted) { return entry.Name < wanted; })
    : std::find_if(entries, end, [&](const Entry& entry) { return entry.Name == name; });
  return found != end && found->Name == name ? static_cast<std::size_t>(found - entries) : None;
}

// A field that nobody knows is a sign that the other side means something else; and of two of one
// name nobody can say which is meant.
void CborReader::CheckComplete() const
{
  const auto first =
    this->Entries.begin() + static_cast<std::ptrdiff_t>(this->Open.back().FirstEntry);
  const auto unknown =
    std::find_if(first, this->Entries.end(), [](const Entry& entry) { return !entry.Known; });
  if (unknown == this->Entries.end())
  {
    return;
  }
  const bool isTwice = std::any_of(first, this->Entries.end(),
    [&](const Entry& entry) { return entry.Known && entry.Name == unknown->Name; });
  this->Fail(std::string(unknown->Name).c_str(), isTwice ? "is there twice" : "is not known here");
}

std::string CborReader::Path(const char* name) const
{
  std::string path;
  const auto add = [&](const Level& in, std::string_view shown)
  { path += in.IsList ? std::to_string(in.Next - 1) : std::string(shown); };
  for (std::size_t depth = 1; depth < this->Open.size(); ++depth)
  {
    add(this->Open[depth - 1], this->Open[depth].Name);
    path += ".";
  }
  add(this->Open.back(), name ? name : "");
  return path;
}

void CborReader::Fail(const char* name, const std::string& what) const
{
  throw Error(Fault::Refused, "{}: its \"{}\" {}", this->What, this->Path(name), what);
}

// Where the value of that name begins, or with null the list's next element.
const std::uint8_t* CborReader::Take(const char* name)
{
  Level& level = this->Open.back();
  if (name)
  {
    const std::size_t found = this->Find(name);
    if (found == None)
    {
      this->Fail(name, "is missing");
    }
    level.Next = found + 1;
    Entry& entry = this->Entries[level.FirstEntry + found];
    entry.Known = true;
    return entry.Value;
  }
  if (!level.IsList || level.Next++ == level.Size)
  {
    this->Fail(name, "is missing");
  }
  const std::uint8_t* element = level.Element;
  CborCursor cursor(element, this->DataEnd);
  cursor.Skip(DeepestNesting);
  level.Element = cursor.Position();
  return element;
}

// The same behind its head.
CborCursor CborReader::Take(const char* name, CborHead& head)
{
  CborCursor cursor(this->Take(name), this->DataEnd);
  cursor.Read(head);
  return cursor;
}

bool CborReader::Has(const char* name) const
{
  return this->Find(name) != None;
}

bool CborReader::IsText(const char* name) const
{
  const Level& level = this->Open.back();
  const std::uint8_t* item = nullptr;
  if (name)
  {
    const std::size_t found = this->Find(name);
    item = found == None ? nullptr : this->Entries[level.FirstEntry + found].Value;
  }
  else
  {
    item = level.Next < level.Size ? level.Element : nullptr;
  }
  CborHead head;
  return item && CborCursor(item, this->DataEnd).Read(head) && head.Type == CborType::Text;
}

std::vector<std::string> CborReader::Names() const
{
  std::vector<std::string> names;
  for (std::size_t entry = this->Open.back().FirstEntry; entry < this->Entries.size(); ++entry)
  {
    names.emplace_back(this->Entries[entry].Name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void CborReader::Visit(const char* name, bool& value)
{
  CborHead head;
  this->Take(name, head);
  value = head.Type == CborType::Simple && head.Detail == CborHead::True;
  if (!value && (head.Type != CborType::Simple || head.Detail != CborHead::False))
  {
    this->Fail(name, fmt::format("is a {}, not true or false", TypeName(head)));
  }
}

void CborReader::Visit(const char* name, double& value)
{
  CborHead head;
  this->Take(name, head);
  if (!IsWhole(head) && !IsFloat(head))
  {
    this->Fail(name, fmt::format("is a {}, not a number", TypeName(head)));
  }
  value = NumberOf(head);
}

void CborReader::Visit(const char* name, std::string& value)
{
  CborHead head;
  CborCursor cursor = this->Take(name, head);
  if (head.Type != CborType::Text)
  {
    this->Fail(name, fmt::format("is a {}, not a text", TypeName(head)));
  }
  value = cursor.Take(head.Argument);
}

void CborReader::Visit(const char* name, Bytes& value)
{
  CborHead head;
  CborCursor cursor = this->Take(name, head);
  if (head.Type != CborType::Bytes)
  {
    this->Fail(name, fmt::format("is a {}, not bytes", TypeName(head)));
  }
  const std::string_view content = cursor.Take(head.Argument);
  value.assign(content.begin(), content.end());
}

// Rare, and may be a whole document: nlohmann-json reads it.
void CborReader::Visit(const char* name, PlainValue& value)
{
  const std::uint8_t* item = this->Take(name);
  CborCursor cursor(item, this->DataEnd);
  cursor.Skip(DeepestNesting);
  const auto found = nlohmann::json::from_cbor(item, cursor.Position(), true, false);
  if (!IsPlain(found))
  {
    this->Fail(name, "is nested too deeply for a value, or has bytes in it");
  }
  value = ToPlain(found);
}

void CborReader::Visit(const char* name, std::uint64_t& value)
{
  CborHead head;
  this->Take(name, head);
  if (head.Type != CborType::Unsigned)
  {
    this->Fail(name,
      fmt::format("is a {}, not a whole number from 0 on",
        head.Type == CborType::Negative ? "negative number" : TypeName(head)));
  }
  value = head.Argument;
}

void CborReader::Visit(const char* name, std::int64_t& value)
{
  CborHead head;
  this->Take(name, head);
  if (!IsWhole(head))
  {
    this->Fail(name, fmt::format("is a {}, not a whole number", TypeName(head)));
  }
  if (head.Argument > MostSigned)
  {
    this->Fail(name, "is out of range");
  }
  const auto number = static_cast<std::int64_t>(head.Argument);
  value = head.Type == CborType::Negative ? -1 - number : number;
}

void CborReader::BeginRecord(const char* name)
{
  CborHead head;
  CborCursor cursor = this->Take(name, head);
  if (head.Type != CborType::Map)
  {
    this->Fail(name, fmt::format("is a {}, not an object with named fields", TypeName(head)));
  }
  this->Enter(name, { .FirstEntry = this->Entries.size(), .Size = head.Argument });
  this->Index(cursor, head.Argument);
}

std::size_t CborReader::BeginList(const char* name, std::size_t)
{
  CborHead head;
  const CborCursor cursor = this->Take(name, head);
  if (head.Type != CborType::List)
  {
    this->Fail(name, fmt::format("is a {}, not a list", TypeName(head)));
  }
  this->Enter(name,
    { .IsList = true,
      .FirstEntry = this->Entries.size(),
      .Size = head.Argument,
      .Element = cursor.Position() });
  return head.Argument;
}

void CborReader::Enter(const char* name, Level level)
{
  if (name)
  {
    // The name in the bytes: those outlast the caller's.
    const Level& in = this->Open.back();
    level.Name = this->Entries[in.FirstEntry + in.Next - 1].Name;
  }
  this->Open.push_back(level);
}

void CborReader::End()
{
  this->CheckComplete();
  this->Entries.resize(this->Open.back().FirstEntry);
  this->Open.pop_back();
}

}
