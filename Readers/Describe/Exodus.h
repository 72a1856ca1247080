// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes Exodus in netCDF-4, which MOOSE, Sierra and others write. Makes a part for each block
/// of elements, with the variables of nodes and of elements at a step.
std::optional<Description> RecogniseExodus(const Asked&);

}
