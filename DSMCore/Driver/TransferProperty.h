// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/TransferMode.h"

#include <hdf5.h>

#include <optional>

/// The way of a transfer as a property of HDF5's transfer lists.
namespace dsm
{

/// Throws Error(Usage) where it is no list that can be changed.
void SetTransferMode(hid_t transferList, TransferMode mode);

/// None where none was set.
std::optional<TransferMode> TransferModeOf(hid_t transferList);

}
