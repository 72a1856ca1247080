// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Handle.h"

namespace dsm::describe
{

/// Whether a file's virtual datasets, which are put together of others, are not made of themselves,
/// also by way of other files: HDF5 (1.14.5) follows them without end, until the process has no
/// stack left; and whether they take their sources for what those are, else it crashes. Looks at
/// the file's first 20000 objects, and 1000 sources of each. Throws dsm::Error that names the
/// dataset.
void CheckVirtual(hid_t file);

}
