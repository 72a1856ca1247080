// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/DatasetWatch.h"

/// Calls of HDF5 with a buffer in a GPU's memory. Most reach the driver, which copies from and to
/// the device. In the others HDF5 itself would read or write the buffer, which ends the program.
namespace dsm::devicetransfers
{

/// Returns true if HDF5 leaves the buffer to the driver, or the buffer is the host's, or the file
/// is none of this driver's. Otherwise reports an error of HDF5's that names the buffer and the
/// reason. Never throws.
bool MayTransfer(const DatasetTransfer& transfer) noexcept;

}
