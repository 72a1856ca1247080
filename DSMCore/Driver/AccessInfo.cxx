// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/AccessInfo.h"

#include "Base/Error.h"

#include <algorithm>

namespace dsm
{

AccessInfo AccessInfo::Of(hid_t fapl)
{
  const AccessInfo* info = nullptr;
  // A list without an answer is ordinary; HDF5 reports it as an error, which must not stand before
  // the one that its caller will look for.
  const hid_t errors = H5Eget_current_stack();
  H5E_BEGIN_TRY
  {
    info = static_cast<const AccessInfo*>(H5Pget_driver_info(fapl));
  }
  H5E_END_TRY
  H5Eset_current_stack(errors);
  return info ? *info : AccessInfo();
}

AccessInfo AccessInfo::For(const std::string& contact)
{
  AccessInfo info;
  if (contact.size() >= info.Contact.size())
  {
    throw Error(Fault::Usage, "the contact file's name has {} characters; {} are allowed",
      contact.size(), info.Contact.size() - 1);
  }
  std::copy(contact.begin(), contact.end(), info.Contact.begin());
  return info;
}

}
