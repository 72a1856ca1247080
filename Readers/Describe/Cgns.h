// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// CGNS in HDF5, as most codes for flows write: a part for each structured zone, and for each
/// section of elements of an unstructured one, with the solutions on vertices and cells of a step.
std::optional<Description> RecogniseCgns(const Asked&);

}
