// SPDX-License-Identifier: BSD-3-Clause
#include "Encoding/Bounds.h"

#include <array>

namespace dsm
{

namespace
{
// RFC 8949, section 3.1.
enum MajorType
{
  Unsigned,
  Negative,
  ByteString,
  TextString,
  List,
  Map,
  Tag,
  SimpleOrFloat
};

/// The first byte of an item, and the number that follows in it or behind it.
struct Head
{
  int Type = 0;
  std::uint64_t Argument = 0;
};

class Reader
{
public:
  Reader(const std::uint8_t* data, std::size_t size)
    : Next(data)
    , End(data + size)
  {
  }

  /// False at the end, and for indefinite and reserved lengths.
  bool Read(Head& head)
  {
    if (this->Next == this->End)
    {
      return false;
    }
    const int first = *this->Next++;
    head.Type = first >> 5;
    head.Argument = first & 31;
    if (head.Argument < 24)
    {
      return true;
    }
    const std::uint64_t bytes = head.Argument <= 27 ? UINT64_C(1) << (head.Argument - 24) : 0;
    if (bytes == 0 || this->Left() < bytes)
    {
      return false;
    }
    head.Argument = 0;
    for (std::uint64_t byte = 0; byte < bytes; ++byte)
    {
      head.Argument = head.Argument << 8 | *this->Next++;
    }
    return true;
  }

  bool Skip(std::uint64_t bytes)
  {
    if (this->Left() < bytes)
    {
      return false;
    }
    this->Next += bytes;
    return true;
  }

  std::uint64_t Left() const { return static_cast<std::uint64_t>(this->End - this->Next); }

private:
  const std::uint8_t* Next;
  const std::uint8_t* End;
};
}

bool IsBoundedCbor(const std::uint8_t* data, std::size_t size)
{
  Reader reader(data, size);
  std::array<std::uint64_t, DeepestNesting + 1> missing{ 1 }; // items, at each depth
  std::uint64_t values = 0;
  int depth = 0;
  while (depth >= 0)
  {
    if (missing[depth] == 0)
    {
      --depth;
      continue;
    }
    --missing[depth];
    Head head;
    if (++values > MostValues || !reader.Read(head))
    {
      return false;
    }
    switch (head.Type)
    {
      case ByteString:
      case TextString:
        if (!reader.Skip(head.Argument))
        {
          return false;
        }
        break;
      case List:
      case Map:
        // Each item takes a byte at least.
        if (depth == DeepestNesting || head.Argument > reader.Left())
        {
          return false;
        }
        missing[++depth] = head.Type == Map ? 2 * head.Argument : head.Argument;
        break;
      case Tag:
        return false;
      default:
        break;
    }
  }
  return reader.Left() == 0;
}

}
