// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Hdf5Objects.h"

#include "Base/Error.h"
#include "Driver/ErrorStack.h"

namespace dsm
{

hid_t CheckedHdf5(hid_t result, const std::string& what)
{
  if (result < 0)
  {
    throw Error(Fault::System, "cannot {}: {}", what, errorstack::InnermostReason());
  }
  return result;
}

bool HasFixedSize(hid_t type)
{
  switch (H5Tget_class(type))
  {
    case H5T_VLEN:
    case H5T_REFERENCE:
      return false;
    case H5T_STRING:
      return H5Tis_variable_str(type) == 0;
    case H5T_ARRAY:
      return HasFixedSize(Hdf5Object(H5Tget_super(type), H5Tclose));
    case H5T_COMPOUND:
      for (int member = 0; member < H5Tget_nmembers(type); ++member)
      {
        const auto number = static_cast<unsigned>(member);
        if (!HasFixedSize(Hdf5Object(H5Tget_member_type(type, number), H5Tclose)))
        {
          return false;
        }
      }
      return true;
    default:
      return true;
  }
}

std::string VirtualSourceName(const std::string& name)
{
  std::string doubled;
  for (const char letter : name)
  {
    doubled += letter;
    if (letter == '%')
    {
      doubled += letter;
    }
  }
  return doubled;
}

}
