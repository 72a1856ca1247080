// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// MED, as code_aster and Salome write: of each mesh a part for each type of its cells, with the
/// fields on nodes and on cells of a step.
std::optional<Description> RecogniseMed(const Asked&);

}
