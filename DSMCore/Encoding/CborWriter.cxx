// SPDX-License-Identifier: BSD-3-Clause
#include "Encoding/CborWriter.h"

#include "Encoding/PlainJson.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace dsm
{

namespace
{
// A head of that detail, and the bytes of the argument that belong behind it.
void Append(Bytes& bytes, CborType type, std::uint8_t detail, std::uint64_t argument)
{
  bytes.push_back(static_cast<std::uint8_t>(static_cast<int>(type) << 5 | detail));
  const int behind = detail < 24 ? 0 : 1 << (detail - 24);
  for (int left = behind; left > 0; --left)
  {
    bytes.push_back(static_cast<std::uint8_t>(argument >> (8 * (left - 1))));
  }
}

// The shortest head with that argument.
void Append(Bytes& bytes, CborType type, std::uint64_t argument)
{
  const auto detail = argument < 24    ? argument
    : argument <= 0xff                 ? 24
    : argument <= 0xffff               ? 25
    : argument <= UINT64_C(0xffffffff) ? 26
                                       : 27;
  Append(bytes, type, static_cast<std::uint8_t>(detail), argument);
}

void AppendText(Bytes& bytes, std::string_view text)
{
  Append(bytes, CborType::Text, text.size());
  bytes.insert(bytes.end(), text.begin(), text.end());
}
}

CborWriter::CborWriter()
{
  this->Written.reserve(256);
  this->Open.reserve(8);
  this->Begin(CborType::Map);
}

Bytes CborWriter::Finish()
{
  this->End();
  return std::move(this->Written);
}

// What comes before the value.
void CborWriter::Name(const char* name)
{
  ++this->Open.back().Size;
  if (name)
  {
    AppendText(this->Written, name);
  }
}

void CborWriter::Visit(const char* name, bool& value)
{
  this->Name(name);
  Append(this->Written, CborType::Simple, value ? CborHead::True : CborHead::False, 0);
}

void CborWriter::Visit(const char* name, double& value)
{
  this->Name(name);
  const bool fits =
    std::abs(value) <= std::numeric_limits<float>::max() && static_cast<float>(value) == value;
  if (fits)
  {
    Append(this->Written, CborType::Simple, CborHead::Single,
      std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
  else
  {
    Append(this->Written, CborType::Simple, CborHead::Double, std::bit_cast<std::uint64_t>(value));
  }
}

void CborWriter::Visit(const char* name, std::string& value)
{
  this->Name(name);
  AppendText(this->Written, value);
}

void CborWriter::Visit(const char* name, Bytes& value)
{
  this->Name(name);
  Append(this->Written, CborType::Bytes, value.size());
  this->Written.insert(this->Written.end(), value.begin(), value.end());
}

// Rare, and may be a whole document: nlohmann-json writes it.
void CborWriter::Visit(const char* name, PlainValue& value)
{
  this->Name(name);
  using Json = nlohmann::ordered_json;
  Json::to_cbor(JsonOf<Json>(value), this->Written);
}

void CborWriter::Visit(const char* name, std::uint64_t& value)
{
  this->Name(name);
  Append(this->Written, CborType::Unsigned, value);
}

void CborWriter::Visit(const char* name, std::int64_t& value)
{
  this->Name(name);
  const bool isNegative = value < 0;
  Append(this->Written, isNegative ? CborType::Negative : CborType::Unsigned,
    static_cast<std::uint64_t>(isNegative ? -1 - value : value));
}

void CborWriter::BeginRecord(const char* name)
{
  this->Name(name);
  this->Begin(CborType::Map);
}

std::size_t CborWriter::BeginList(const char* name, std::size_t size)
{
  this->Name(name);
  this->Begin(CborType::List);
  return size;
}

void CborWriter::Begin(CborType type)
{
  this->Open.push_back({ this->Written.size(), type, 0 });
  Append(this->Written, type, 0);
}

void CborWriter::End()
{
  const Level level = this->Open.back();
  this->Open.pop_back();
  Bytes& written = this->Written;
  const auto place = written.begin() + static_cast<std::ptrdiff_t>(level.Head);
  if (level.Size < 24)
  {
    *place = static_cast<std::uint8_t>(*place | level.Size);
    return;
  }
  Bytes head;
  Append(head, level.Type, level.Size);
  *place = head.front();
  written.insert(place + 1, head.begin() + 1, head.end());
}

}
