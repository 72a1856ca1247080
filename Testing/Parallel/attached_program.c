/* SPDX-License-Identifier: BSD-3-Clause */
/* Attaches, writes a file by HDF5's default driver, detaches, and writes another. */
#include <dsm.h>
#include <hdf5.h>

#include <stdio.h>

static int Write(const char* name)
{
  const hsize_t count = 3;
  const int values[] = { 1, 2, 3 };
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS); /* a list of its own, as h5py makes one */
  const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  const hid_t space = H5Screate_simple(1, &count, NULL);
  const hid_t data =
    H5Dcreate2(file, "a", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const herr_t status = H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  H5Dclose(data);
  H5Sclose(space);
  H5Pclose(access);
  return H5Fclose(file) < 0 || status < 0;
}

int main(int argc, char** argv)
{
  if (argc < 4)
  {
    return 2;
  }
  if (dsm_attach("nothing.dsm") != DSM_ERROR_NO_SERVER)
  {
    return 3;
  }
  puts(dsm_last_error());
  if (dsm_attach(argv[1]) != DSM_OK)
  {
    puts(dsm_last_error());
    return 4;
  }
  const int live = Write(argv[2]);
  if (dsm_detach() != DSM_OK)
  {
    return 5;
  }
  return live || Write(argv[3]);
}
