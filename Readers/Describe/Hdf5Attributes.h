// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Handle.h"

#include <optional>
#include <string>
#include <vector>

/// Attributes of a file's objects, by the object's path. What is not there, or of another kind, is
/// nothing.
namespace dsm::hdf5
{

/// All numbers of an attribute; nothing if there are more than `most`.
std::optional<std::vector<double>> NumbersAttribute(
  hid_t file, const std::string& object, const std::string& name, std::size_t most = 4096);

/// The number of an attribute with just one.
std::optional<double> NumberAttribute(
  hid_t file, const std::string& object, const std::string& name);

/// The texts of an attribute, of fixed or variable length, in the file's order.
std::vector<std::string> TextsAttribute(
  hid_t file, const std::string& object, const std::string& name, std::size_t most = 4096);

/// The text of an attribute with just one; else empty.
std::string TextAttribute(hid_t file, const std::string& object, const std::string& name);

/// The numbers of an attribute with one value of a compound type, in the order of its members.
std::vector<double> CompoundAttribute(
  hid_t file, const std::string& object, const std::string& name);

/// The datasets that an attribute's lists of references name: DIMENSION_LIST, one list for each
/// dimension.
std::vector<std::vector<std::string>> ReferenceLists(
  hid_t file, const std::string& object, const std::string& name);

}
