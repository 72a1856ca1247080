// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

namespace dsm
{

/// The one class table of the driver: what HDF5 calls.
const H5FD_class_t& DriverClass();

}
