// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes files of H5hut (H5Part, H5Block), which OPAL writes: /Step#n with particles in x, y, z
/// and fields in Block.
std::optional<Description> RecogniseH5hut(const Asked& asked);

}
