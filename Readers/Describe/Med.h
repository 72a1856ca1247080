// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes MED, which code_aster and Salome write. Makes a part for each type of cells of each
/// mesh, with the fields of a step on nodes and on cells.
std::optional<Description> RecogniseMed(const Asked&);

}
