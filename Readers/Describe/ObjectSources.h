// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Description.h"
#include "Describe/Hdf5Contents.h"

#include <array>
#include <string>
#include <vector>

/// Sources and arrays of whole datasets.
namespace dsm::describe
{

/// The names of a complex number's components.
inline const std::vector<std::string> ComplexNames = { "real", "imaginary" };

/// Whether a compound type's members are those of a complex number, as h5py, MATLAB and others
/// store it.
bool IsComplex(const std::vector<std::string>& members);

/// Returns the arrays of a dataset whose numbers lie as `source` says: one if its elements are
/// numbers; one with two components if they are complex; else one for each member of the compound,
/// with components if the member is an array.
std::vector<Array> ArraysOf(
  const hdf5::Object& object, const std::string& name, Centring on, const Source& source);

/// A dataset, and what each of its dimensions runs along.
Source SourceOf(const hdf5::Object& object, const std::vector<Role>& roles);

/// A dataset of `count` points, cells or rows.
Source ListSource(const std::string& path, std::uint64_t count);

/// A dataset on a grid. The last of its one to three dimensions runs along x.
Source GridSource(const hdf5::Object& object);

}
