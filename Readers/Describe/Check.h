// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"

#include <cstdint>
#include <optional>

namespace dsm::describe
{

/// How many points and cells lie along x, y and z of a structured geometry; cells of an axis with
/// one point: one.
PerAxis PointsOf(const Geometry& geometry);
PerAxis CellsOf(const Geometry& geometry);

/// Whether it is one of the three structured kinds.
bool IsStructured(const Geometry& geometry);

/// How many points a cell of VTK's type has; of a type with any number, none. Throws dsm::Error if
/// the type is not known.
std::optional<std::uint64_t> PointsOfType(int type);

/// Whether a description is one that can be filled: counts that fit each other and memory, roles
/// that the part has, names. That the files hold as much is seen when they are read. Throws
/// dsm::Error that says what is wrong.
void Check(const Description& description);

}
