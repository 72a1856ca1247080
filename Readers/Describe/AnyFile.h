// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/Recogniser.h"

#include <hdf5.h>

namespace dsm::describe
{

/// Describes an open file of any program. Tries VTKHDF, a description in XDMF (in the file or
/// beside it), the known formats and the rules for plain datasets, in this order. If no XML library
/// can be loaded, ignores XDMF and says so in the description. Describes a file without data as
/// empty. `asked` refers to the same file. Throws dsm::Error if the file or its XDMF is wrong.
Description DescribeAnyFile(hid_t file, const Asked& asked);

}
