// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes CGNS in HDF5, which most codes for flows write. Makes a part for each structured zone,
/// and for each section of elements of an unstructured zone, with the solutions of a step on
/// vertices and cells.
std::optional<Description> RecogniseCgns(const Asked&);

}
