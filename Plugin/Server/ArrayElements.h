// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

class vtkDataArray;

/// Converts all values of a VTK array, tuple by tuple, to elements of a type that a simulation can
/// declare (dsm::ArrayShape). Values between those of the type are rounded to the nearest. Throws
/// Error(Refused) for a value that is outside of the type's range, or no number where the elements
/// are whole numbers.
std::vector<std::byte> ElementsOf(vtkDataArray& values, const std::string& element);

/// Returns one value as such an element. Throws as above.
std::vector<std::byte> ElementOf(double value, const std::string& element);

/// Returns such elements as numbers, for people to look at.
std::vector<double> NumbersOf(const std::vector<std::byte>& elements, const std::string& element);
