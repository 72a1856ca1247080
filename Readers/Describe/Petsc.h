// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Recogniser.h"

namespace dsm::describe
{

/// Describes files of PETSc's HDF5 viewer: meshes of DMPlex with their fields, which PETSc shows by
/// a text in XDMF that a script makes; and vectors that have steps (timestepping), also on the
/// grids of DMDA.
std::optional<Description> RecognisePetsc(const Asked& asked);

}
