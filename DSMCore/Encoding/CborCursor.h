// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Bounds.h"
#include "Encoding/CborHead.h"

#include <cstdint>
#include <string_view>

namespace dsm
{

/// Goes along bytes of CBOR as we encode records, item by item, and sees to it that they are such:
/// no more than MostValues, with all lengths given and within the bytes, names that are texts, and
/// neither tags nor simple values that JSON does not have. Allocates nothing and calls no function
/// of its own again. The bytes must outlive it.
class CborCursor
{
public:
  CborCursor(const std::uint8_t* begin, const std::uint8_t* end)
    : Next(begin)
    , End(end)
  {
  }

  /// Goes behind the next item's head. False when there is none, or none that we encode; then the
  /// cursor is of no more use.
  bool Read(CborHead& head);

  /// Goes behind that many bytes, which a head that was just read has told: they are there.
  std::string_view Take(std::uint64_t size);

  /// Goes behind the next item and all that is in it. False as Read, and when it is nested deeper
  /// than that.
  bool Skip(int deepest);

  const std::uint8_t* Position() const { return this->Next; }
  bool IsAtEnd() const { return this->Next == this->End; }

private:
  std::uint64_t Left() const { return static_cast<std::uint64_t>(this->End - this->Next); }

  const std::uint8_t* Next;
  const std::uint8_t* End;
  std::uint64_t Values = 0; ///< that were read
};

// For all items of all messages: in place.
inline bool CborCursor::Read(CborHead& head)
{
  if (this->IsAtEnd() || ++this->Values > MostValues)
  {
    return false;
  }
  const std::uint8_t first = *this->Next++;
  head.Type = static_cast<CborType>(first >> 5);
  head.Detail = first & 31;
  head.Argument = head.Detail;
  if (head.Detail >= 24)
  {
    const std::uint64_t bytes = head.Detail <= 27 ? UINT64_C(1) << (head.Detail - 24) : 0;
    if (bytes == 0 || this->Left() < bytes)
    {
      return false; // 28 to 30 mean nothing; 31: the length is not told
    }
    head.Argument = 0;
    for (std::uint64_t byte = 0; byte < bytes; ++byte)
    {
      head.Argument = head.Argument << 8 | *this->Next++;
    }
  }
  switch (head.Type)
  {
    case CborType::Bytes:
    case CborType::Text:
    case CborType::List: // each element takes a byte at least
      return head.Argument <= this->Left();
    case CborType::Map:
      return head.Argument <= this->Left() / 2;
    case CborType::Tag:
      return false;
    case CborType::Simple:
      return (head.Detail >= CborHead::False && head.Detail <= CborHead::Null) ||
        (head.Detail >= CborHead::Half && head.Detail <= CborHead::Double);
    default:
      return true;
  }
}

inline std::string_view CborCursor::Take(std::uint64_t size)
{
  const std::string_view taken(reinterpret_cast<const char*>(this->Next), size);
  this->Next += size;
  return taken;
}

}
