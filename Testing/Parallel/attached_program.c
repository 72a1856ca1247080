/* SPDX-License-Identifier: BSD-3-Clause */
/* Attaches, writes a file by HDF5's default driver, detaches, and writes another. */
#include "../simulation.h"

#include <dsm.h>

static void Write(const char* name)
{
  enum
  {
    COUNT = 3
  };
  const int values[COUNT] = { 1, 2, 3 };
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS); /* a list of its own, as h5py makes one */
  const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  CHECK(file >= 0);
  Values made = CreateValues(file, H5T_STD_I32LE, COUNT, 0, 1);
  CHECK(H5Dwrite(made.Set, H5T_NATIVE_INT, made.Memory, made.Space, H5P_DEFAULT, values) >= 0);
  CloseValues(made);
  H5Pclose(access);
  CHECK(H5Fclose(file) >= 0);
}

int main(int argc, char** argv)
{
  CHECK(argc == 4);
  CHECK(dsm_attach("nothing.dsm") == DSM_ERROR_NO_SERVER);
  Say(dsm_last_error());
  CHECK(dsm_attach(argv[1]) == DSM_OK);
  Write(argv[2]);
  CHECK(dsm_detach() == DSM_OK);
  Write(argv[3]);
  return 0;
}
