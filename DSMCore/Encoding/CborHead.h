// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace dsm
{

/// The kinds of items of CBOR, by their numbers (RFC 8949, section 3.1).
enum class CborType : std::uint8_t
{
  Unsigned,
  Negative, ///< -1 - Argument
  Bytes,
  Text,
  List,
  Map,
  Tag,
  Simple ///< false, true, null, or a floating-point number
};

/// What an item of CBOR begins with.
struct CborHead
{
  // Details of CborType::Simple.
  static constexpr std::uint8_t False = 20;
  static constexpr std::uint8_t True = 21;
  static constexpr std::uint8_t Null = 22;
  static constexpr std::uint8_t Half = 25;
  static constexpr std::uint8_t Single = 26;
  static constexpr std::uint8_t Double = 27;

  CborType Type = CborType::Simple;
  std::uint8_t Detail = Null;
  /// The number, or the length of a text or of bytes, or how many elements or pairs there are, or
  /// the bits of a floating-point number.
  std::uint64_t Argument = 0;
};

}
