// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Hdf5Contents.h"

#include <vtkDataArray.h>
#include <vtkSmartPointer.h>

#include <array>

namespace dsm::hdf5
{

/// A box of elements, slowest dimension first; as many numbers as the dataset has dimensions count.
struct Box
{
  std::array<hsize_t, 4> Start{};
  std::array<hsize_t, 4> Count{ 1, 1, 1, 1 };
};

/// Reads a box of a dataset of numbers with one to four dimensions, as an array with the type of
/// the file's numbers, named by its path without the leading '/'. The last dimension becomes the
/// components where `components` says so. Throws dsm::Error.
vtkSmartPointer<vtkDataArray> ReadBox(
  hid_t file, const Object& object, const Box& box, bool components = false);

}
