// SPDX-License-Identifier: BSD-3-Clause
#include "Reader.h"

#include "Box.h"
#include "Check.h"
#include "Handle.h"

#include <hdf5.h>

namespace
{

void ReadAttribute(hid_t object, const char* name, void* values)
{
  const Handle attribute(
    H5Aopen(object, name, H5P_DEFAULT), H5Aclose, std::string("H5Aopen of ") + name);
  CheckHdf5(H5Aread(attribute, H5T_NATIVE_INT, values), std::string("H5Aread of ") + name);
}

std::vector<double> ReadField(hid_t root, const std::string& name, const Domain& grid)
{
  std::vector<double> field = grid.NewField(0);
  const Handle dataset(H5Dopen2(root, name.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen of " + name);
  const Handle inFile = BoxInFile(grid);
  const Handle inMemory = BoxInMemory(grid);
  const Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose, "H5Pcreate");
  CheckHdf5(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE), "H5Pset_dxpl_mpio");
  CheckHdf5(H5Dread(dataset, H5T_NATIVE_DOUBLE, inMemory, inFile, transfer, field.data()),
    "H5Dread of " + name);
  return field;
}

}

State ReadState(const Domain& domain, const std::string& name)
{
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate");
  CheckHdf5(H5Pset_fapl_mpio(access, domain.Communicator(), MPI_INFO_NULL), "H5Pset_fapl_mpio");
  const Handle file(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "H5Fopen of " + name);
  const Handle root(H5Gopen2(file, "VTKHDF", H5P_DEFAULT), H5Gclose, "H5Gopen of VTKHDF");
  int extent[6] = {};
  ReadAttribute(root, "WholeExtent", extent);
  for (int axis = 0; axis < 3; ++axis)
  {
    if (extent[2 * axis + 1] + 1 != domain.Size()[axis])
    {
      throw CommonFailure(name + " has another grid, of " + std::to_string(extent[1] + 1) + " x " +
        std::to_string(extent[3] + 1) + " x " + std::to_string(extent[5] + 1) +
        " points: give it with --size");
    }
  }
  State state;
  ReadAttribute(root, "step", &state.Step);
  state.U = ReadField(root, "PointData/u", domain);
  state.V = ReadField(root, "PointData/v", domain);
  return state;
}
