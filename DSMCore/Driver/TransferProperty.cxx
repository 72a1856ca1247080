// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/TransferProperty.h"

#include "Base/Error.h"

namespace dsm
{

namespace
{
constexpr const char* Name = "dsm_transfer";
}

void SetTransferMode(hid_t transferList, TransferMode mode)
{
  if (transferList == H5P_DATASET_XFER_DEFAULT || H5Pisa_class(transferList, H5P_DATASET_XFER) <= 0)
  {
    throw Error(Fault::Usage,
      "the way of a transfer can be set in a list made with H5Pcreate(H5P_DATASET_XFER) only");
  }
  const bool known = H5Pexist(transferList, Name) > 0;
  const herr_t done = known ? H5Pset(transferList, Name, &mode)
                            : H5Pinsert2(transferList, Name, sizeof mode, &mode, nullptr, nullptr,
                                nullptr, nullptr, nullptr, nullptr);
  if (done < 0)
  {
    throw Error(Fault::System, "HDF5 does not take the way of a transfer into its list");
  }
}

std::optional<TransferMode> TransferModeOf(hid_t transferList)
{
  TransferMode mode{};
  // A driver's own calls have no list (H5P_DEFAULT).
  return transferList > 0 && H5Pexist(transferList, Name) > 0 &&
      H5Pget(transferList, Name, &mode) >= 0
    ? std::optional(mode)
    : std::nullopt;
}

}
