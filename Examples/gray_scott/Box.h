// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Domain.h"
#include "Handle.h"

/// This rank's box of a field as HDF5 selects it, in a dataset of the whole grid.
Handle BoxInFile(const Domain& grid);

/// The same in a field as Domain stores it: without the halo.
Handle BoxInMemory(const Domain& grid);
