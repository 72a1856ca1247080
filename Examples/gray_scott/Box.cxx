// SPDX-License-Identifier: BSD-3-Clause
#include "Box.h"

#include <array>

namespace
{

using Dimensions = std::array<hsize_t, 3>;

/// HDF5 counts the slowest axis first.
Dimensions FromXYZ(const Index3& xyz)
{
  return { static_cast<hsize_t>(xyz[2]), static_cast<hsize_t>(xyz[1]),
    static_cast<hsize_t>(xyz[0]) };
}

Handle Select(const Dimensions& whole, const Dimensions& start, const Dimensions& count)
{
  Handle space(H5Screate_simple(3, whole.data(), nullptr), H5Sclose, "H5Screate_simple");
  CheckHdf5(
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
    "H5Sselect_hyperslab");
  return space;
}

}

Handle BoxInFile(const Domain& grid)
{
  return Select(FromXYZ(grid.Size()), FromXYZ(grid.Start()), FromXYZ(grid.Count()));
}

Handle BoxInMemory(const Domain& grid)
{
  return Select(FromXYZ(grid.Stored()), { 1, 1, 1 }, FromXYZ(grid.Count()));
}
