// SPDX-License-Identifier: BSD-3-Clause
#include "Writer.h"

#include "Box.h"
#include "Check.h"
#include "Handle.h"

#include <hdf5.h>

#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>

namespace
{

void WriteAttribute(hid_t object, const char* name, hid_t type, hid_t space, const void* value)
{
  Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
    std::string("H5Acreate of ") + name);
  CheckHdf5(H5Awrite(attribute, type, value), std::string("H5Awrite of ") + name);
  attribute.Close(std::string("H5Aclose of ") + name);
}

void WriteAttribute(hid_t object, const char* name, hid_t type, const void* value, hsize_t count)
{
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "H5Screate_simple");
  WriteAttribute(object, name, type, space, value);
}

/// VTKHDF demands ASCII text of fixed length.
void WriteAttribute(hid_t object, const char* name, std::string_view text)
{
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "H5Tcopy");
  CheckHdf5(H5Tset_size(type, text.size()), "H5Tset_size");
  CheckHdf5(H5Tset_strpad(type, H5T_STR_NULLPAD), "H5Tset_strpad");
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "H5Screate");
  WriteAttribute(object, name, type, space, text.data());
}

/// What tells VTK how the points lie in space.
void WriteHeader(hid_t root, const Index3& size, int step, double time)
{
  const int version[] = { 2, 0 };
  const int extent[] = { 0, size[0] - 1, 0, size[1] - 1, 0, size[2] - 1 };
  const double origin[] = { 0, 0, 0 };
  const double spacing[] = { 1, 1, 1 };
  const double direction[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  WriteAttribute(root, "Version", H5T_NATIVE_INT, version, 2);
  WriteAttribute(root, "Type", "ImageData");
  WriteAttribute(root, "WholeExtent", H5T_NATIVE_INT, extent, 6);
  WriteAttribute(root, "Origin", H5T_NATIVE_DOUBLE, origin, 3);
  WriteAttribute(root, "Spacing", H5T_NATIVE_DOUBLE, spacing, 3);
  WriteAttribute(root, "Direction", H5T_NATIVE_DOUBLE, direction, 9);

  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, "H5Screate");
  WriteAttribute(root, "step", H5T_NATIVE_INT, scalar, &step);
  WriteAttribute(root, "time", H5T_NATIVE_DOUBLE, scalar, &time);
}

Handle CreateGroup(hid_t parent, const char* name)
{
  return Handle(H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
    std::string("H5Gcreate of ") + name);
}

/// A number that all ranks have: one of them writes it.
void WriteNumber(hid_t group, const char* name, double value, int rank)
{
  const hsize_t one = 1;
  const Handle space(H5Screate_simple(1, &one, nullptr), H5Sclose, "H5Screate_simple");
  Handle dataset(
    H5Dcreate2(group, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
    H5Dclose, std::string("H5Dcreate of ") + name);
  if (rank == 0)
  {
    CheckHdf5(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value),
      std::string("H5Dwrite of ") + name);
  }
  dataset.Close(std::string("H5Dclose of ") + name);
}

/// Collective. Each rank writes its box of the field; the halo stays behind.
void WriteField(hid_t group, const char* name, const Domain& grid, const std::vector<double>& field)
{
  const Handle fileSpace = BoxInFile(grid);
  const Handle memorySpace = BoxInMemory(grid);
  Handle dataset(
    H5Dcreate2(group, name, H5T_NATIVE_DOUBLE, fileSpace, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
    H5Dclose, std::string("H5Dcreate of ") + name);
  const Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose, "H5Pcreate");
  CheckHdf5(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE), "H5Pset_dxpl_mpio");
  CheckHdf5(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memorySpace, fileSpace, transfer, field.data()),
    std::string("H5Dwrite of ") + name);
  dataset.Close(std::string("H5Dclose of ") + name);
}

}

Writer::Writer(const Domain& domain, const std::string& folder)
  : Grid(domain)
  , Folder(folder)
{
  int failure = 0;
  if (domain.Rank() == 0)
  {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    failure = error.value();
  }
  CheckMpi(MPI_Bcast(&failure, 1, MPI_INT, 0, domain.Communicator()), "MPI_Bcast");
  if (failure != 0)
  {
    throw CommonFailure("cannot make the folder " + folder + ": " +
      std::error_code(failure, std::system_category()).message() +
      ". Choose another with --output");
  }
}

std::string Writer::Write(
  int step, double time, const std::vector<double>* u, const std::vector<double>* v) const
{
  char number[16];
  std::snprintf(number, sizeof number, "%05d", step);
  const std::string name =
    (std::filesystem::path(this->Folder) / ("gray_scott." + std::string(number) + ".vtkhdf"))
      .string();

  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate");
  CheckHdf5(H5Pset_fapl_mpio(access, this->Grid.Communicator(), MPI_INFO_NULL), "H5Pset_fapl_mpio");
  Handle file(
    H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "H5Fcreate of " + name);
  {
    const Handle root = CreateGroup(file, "VTKHDF");
    WriteHeader(root, this->Grid.Size(), step, time);
    const Handle points = CreateGroup(root, "PointData");
    for (const auto& [field, values] : { std::pair("u", u), std::pair("v", v) })
    {
      if (values)
      {
        WriteField(points, field, this->Grid, *values);
      }
    }
    const Handle fields = CreateGroup(root, "FieldData");
    WriteNumber(fields, "TimeValue", time, this->Grid.Rank());
  }
  file.Close("H5Fclose of " + name);
  return name;
}
