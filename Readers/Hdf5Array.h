// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Contents.h"

#include <vtkDataArray.h>
#include <vtkSmartPointer.h>

#include <array>

namespace dsm::hdf5
{

/// A hyperslab of elements, slowest dimension first. As many entries are used as the dataset has
/// dimensions.
struct Box
{
  std::array<hsize_t, 4> Start{};
  std::array<hsize_t, 4> Count{ 1, 1, 1, 1 };
};

/// Reads a hyperslab of a dataset of numbers with one to four dimensions. The array has the type of
/// the file's numbers; its name is the path without the leading '/'. With `components` the last
/// dimension becomes the components. Throws dsm::Error.
vtkSmartPointer<vtkDataArray> ReadBox(
  hid_t file, const Object& object, const Box& box, bool components = false);

}
