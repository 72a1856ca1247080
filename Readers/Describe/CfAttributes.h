// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/FileFacts.h"

#include <optional>
#include <string>
#include <vector>

/// What a dataset's attributes by the CF conventions say.
namespace dsm::describe::cf
{

/// Returns which axis a dataset's coordinates are along, by its attributes and its name.
std::optional<Role> MeaningOf(const FileFacts& file, const hdf5::Object& object);

/// Returns a title for an axis: "longitude [degrees_east]". Without attributes, `name` is it.
std::string AxisText(const FileFacts& file, const hdf5::Object& object, const std::string& name);

/// Sets how the numbers are packed, and which of them mean "none".
void Unpack(const FileFacts& file, const std::string& path, Source& source);

/// Returns the datasets that an attribute names: in the object's group, or in one above.
std::vector<const hdf5::Object*> NamedIn(
  const FileFacts& file, const hdf5::Object& object, const std::string& attribute);

}
