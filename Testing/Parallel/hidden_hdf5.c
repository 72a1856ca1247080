/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with an HDF5 inside itself, which nobody else can see: writes a file with HDF5's
 * default driver. */
#include <hdf5.h>

int main(int argc, char** argv)
{
  if (argc < 2)
  {
    return 1;
  }
  const hsize_t count = 3;
  const int values[] = { 1, 2, 3 };
  const hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &count, NULL);
  const hid_t data =
    H5Dcreate2(file, "a", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const herr_t status = H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  H5Dclose(data);
  H5Sclose(space);
  return H5Fclose(file) < 0 || status < 0;
}
