// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>

namespace dsm::describe
{

/// The types that numbers have in memory.
enum class Number
{
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Float32,
  Float64
};

std::size_t SizeOf(Number number);

/// HDF5's type of it in this process's memory.
hid_t MemoryType(Number number);

/// The smallest of them that holds the numbers of a type in a file: floating-point numbers of other
/// sizes than 4 and 8 bytes, and enumerations, too. Throws Error(Unsupported) if it has no numbers.
Number NumberOf(hid_t type);

/// The one that holds both, where there is one; else Float64.
Number Common(Number one, Number other);

/// Calls a function template's instance: `with(T{})` for the type of a number.
template <typename Function>
decltype(auto) WithType(Number number, Function&& with)
{
  switch (number)
  {
    case Number::Int8:
      return with(std::int8_t{});
    case Number::UInt8:
      return with(std::uint8_t{});
    case Number::Int16:
      return with(std::int16_t{});
    case Number::UInt16:
      return with(std::uint16_t{});
    case Number::Int32:
      return with(std::int32_t{});
    case Number::UInt32:
      return with(std::uint32_t{});
    case Number::Int64:
      return with(std::int64_t{});
    case Number::UInt64:
      return with(std::uint64_t{});
    case Number::Float32:
      return with(float{});
    default:
      return with(double{});
  }
}

}
