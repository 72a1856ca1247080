// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Numbers.h"

#include <vtkType.h>

namespace dsm::readers
{

/// Returns VTK's type for numbers of a description.
inline int VtkTypeOf(describe::Number number)
{
  using describe::Number;
  switch (number)
  {
    case Number::Int8:
      return VTK_SIGNED_CHAR;
    case Number::UInt8:
      return VTK_UNSIGNED_CHAR;
    case Number::Int16:
      return VTK_SHORT;
    case Number::UInt16:
      return VTK_UNSIGNED_SHORT;
    case Number::Int32:
      return VTK_INT;
    case Number::UInt32:
      return VTK_UNSIGNED_INT;
    case Number::Int64:
      return VTK_LONG_LONG;
    case Number::UInt64:
      return VTK_UNSIGNED_LONG_LONG;
    case Number::Float32:
      return VTK_FLOAT;
    default:
      return VTK_DOUBLE;
  }
}

}
