// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/SingleProcessProperty.h"

namespace dsm
{

namespace
{
// A property of the list's own: its copies have it as well.
constexpr const char* Name = "dsm_single_process";
}

H5FD_dsm_single_process_t SingleProcessProperty(hid_t dxpl)
{
  H5FD_dsm_single_process_t how = H5FD_DSM_SINGLE_PROCESS_OFF;
  if (dxpl != H5P_DATASET_XFER_DEFAULT && H5Pexist(dxpl, Name) > 0)
  {
    H5Pget(dxpl, Name, &how);
  }
  return how;
}

bool SetSingleProcessProperty(hid_t dxpl, H5FD_dsm_single_process_t how)
{
  if (H5Pisa_class(dxpl, H5P_DATASET_XFER) <= 0)
  {
    return false;
  }
  return H5Pexist(dxpl, Name) > 0 ? H5Pset(dxpl, Name, &how) >= 0
                                  : H5Pinsert2(dxpl, Name, sizeof how, &how, nullptr, nullptr,
                                      nullptr, nullptr, nullptr, nullptr) >= 0;
}

}
