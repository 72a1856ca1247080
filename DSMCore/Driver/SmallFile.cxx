// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/SmallFile.h"

#include "Base/Error.h"

#include <algorithm>

namespace dsm
{

void CheckHdf5(herr_t status)
{
  if (status < 0)
  {
    throw Error(Fault::System, "HDF5 could not make a small file in memory");
  }
}

Hdf5Handle::Hdf5Handle(hid_t id, Closer closer)
  : Id(id)
  , Close(closer)
{
  CheckHdf5(id < 0 ? -1 : 0);
}

Hdf5Handle::~Hdf5Handle()
{
  if (this->Id >= 0)
  {
    this->Close(this->Id);
  }
}

Hdf5Handle Hdf5TextType(std::size_t length)
{
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  CheckHdf5(H5Tset_size(type, std::max<std::size_t>(length, 1)));
  CheckHdf5(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

Bytes SmallFile(const char* name, const std::function<void(hid_t file)>& fill)
{
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  CheckHdf5(H5Pset_fapl_core(access, std::size_t(1) << 14, false));
  const Hdf5Handle file(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  fill(file);
  CheckHdf5(H5Fflush(file, H5F_SCOPE_LOCAL));
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  Bytes image(size > 0 ? static_cast<std::size_t>(size) : 0);
  if (image.empty() || H5Fget_file_image(file, image.data(), image.size()) != size)
  {
    CheckHdf5(-1);
  }
  return image;
}

}
