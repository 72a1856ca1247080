// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Numbers.h"

#include "Base/Error.h"
#include "Describe/Hdf5Handle.h"

#include <algorithm>
#include <type_traits>

namespace dsm::describe
{

namespace
{
bool IsFloat(Number number)
{
  return number == Number::Float32 || number == Number::Float64;
}

bool IsSigned(Number number)
{
  return WithType(number, [](auto value) { return std::is_signed_v<decltype(value)>; });
}

Number Integer(std::size_t bytes, bool isSigned)
{
  switch (bytes)
  {
    case 1:
      return isSigned ? Number::Int8 : Number::UInt8;
    case 2:
      return isSigned ? Number::Int16 : Number::UInt16;
    case 3:
    case 4:
      return isSigned ? Number::Int32 : Number::UInt32;
    default:
      return isSigned ? Number::Int64 : Number::UInt64;
  }
}
}

std::size_t SizeOf(Number number)
{
  return WithType(number, [](auto value) { return sizeof value; });
}

hid_t MemoryType(Number number)
{
  switch (number)
  {
    case Number::Int8:
      return H5T_NATIVE_INT8;
    case Number::UInt8:
      return H5T_NATIVE_UINT8;
    case Number::Int16:
      return H5T_NATIVE_INT16;
    case Number::UInt16:
      return H5T_NATIVE_UINT16;
    case Number::Int32:
      return H5T_NATIVE_INT32;
    case Number::UInt32:
      return H5T_NATIVE_UINT32;
    case Number::Int64:
      return H5T_NATIVE_INT64;
    case Number::UInt64:
      return H5T_NATIVE_UINT64;
    case Number::Float32:
      return H5T_NATIVE_FLOAT;
    default:
      return H5T_NATIVE_DOUBLE;
  }
}

Number NumberOf(hid_t type)
{
  const hdf5::TypeHandle base(H5Tget_class(type) == H5T_ENUM ? H5Tget_super(type) : H5Tcopy(type));
  const std::size_t bytes = H5Tget_size(base);
  switch (H5Tget_class(base))
  {
    case H5T_FLOAT:
      return bytes <= sizeof(float) ? Number::Float32 : Number::Float64;
    case H5T_INTEGER:
      return Integer(bytes, H5Tget_sign(base) != H5T_SGN_NONE);
    default:
      throw Error(Fault::Unsupported, "its type is not numeric");
  }
}

Number Common(Number one, Number other)
{
  if (one == other)
  {
    return one;
  }
  if (IsFloat(one) || IsFloat(other))
  {
    // float has 24 bits for integers: those of two bytes.
    const Number integer = IsFloat(one) ? other : one;
    const bool both = IsFloat(one) && IsFloat(other);
    return !both && SizeOf(integer) <= 2 && (one == Number::Float32 || other == Number::Float32)
      ? Number::Float32
      : Number::Float64;
  }
  const std::size_t bytes = std::max(SizeOf(one), SizeOf(other));
  if (IsSigned(one) == IsSigned(other))
  {
    return Integer(bytes, IsSigned(one));
  }
  const Number natural = IsSigned(one) ? other : one;
  return SizeOf(natural) < bytes ? Integer(bytes, true)
    : bytes < 8                  ? Integer(2 * bytes, true)
                                 : Number::Float64;
}

}
