// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/Hdf5Library.h"

#include "Base/Error.h"

#include <dlfcn.h>

namespace dsm::hdf5library
{

namespace
{

using InitFunction = hid_t (*)();
using ObjectFunction = void* (*)(hid_t);
using ModeFunction = herr_t (*)(H5FD_mpio_xfer_t*);
using TypesFunction = herr_t (*)(MPI_Datatype*, MPI_Datatype*);

struct Library
{
  std::string File;
  InitFunction Sec2Init = nullptr;
  InitFunction MpioInit = nullptr;
  ObjectFunction Object = nullptr;
  ModeFunction TransferMode = nullptr;
  TypesFunction Types = nullptr;

  Library()
  {
    Dl_info where{};
    if (dladdr(reinterpret_cast<void*>(&H5FDregister), &where) == 0 || !where.dli_fname)
    {
      return;
    }
    this->File = where.dli_fname;
    // The handle is kept: HDF5 stays loaded as long as this library does.
    void* handle = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
    {
      return;
    }
    this->Find(handle, "H5FD_sec2_init", this->Sec2Init);
    this->Find(handle, "H5FD_mpio_init", this->MpioInit);
    this->Find(handle, "H5I_object", this->Object);
    this->Find(handle, "H5CX_get_io_xfer_mode", this->TransferMode);
    this->Find(handle, "H5CX_get_mpi_coll_datatypes", this->Types);
  }

  template <typename Function>
  void Find(void* handle, const char* name, Function& function)
  {
    function = reinterpret_cast<Function>(dlsym(handle, name));
  }
};

const Library& Ours()
{
  static const Library library;
  return library;
}

[[noreturn]] void Hidden(const char* name)
{
  throw Error(Fault::Unsupported,
    "the HDF5 library {} does not export {}, which this file driver needs: use HDF5 1.14 built "
    "with "
    "its default symbol visibility",
    Ours().File, name);
}

const H5FD_class_t& Registered(InitFunction init, const char* name)
{
  if (!init)
  {
    Hidden(name);
  }
  if (!Ours().Object)
  {
    Hidden("H5I_object");
  }
  const auto* found = static_cast<const H5FD_class_t*>(Ours().Object(init()));
  if (!found)
  {
    throw Error(Fault::System, "HDF5 could not register its own driver ({})", name);
  }
  return *found;
}

}

std::string Path()
{
  return Ours().File;
}

const H5FD_class_t& Sec2()
{
  return Registered(Ours().Sec2Init, "H5FD_sec2_init");
}

const H5FD_class_t& Mpio()
{
  return Registered(Ours().MpioInit, "H5FD_mpio_init");
}

const H5FD_class_t* ClassOf(hid_t driver)
{
  return Ours().Object && H5Iget_type(driver) == H5I_VFL
    ? static_cast<const H5FD_class_t*>(Ours().Object(driver))
    : nullptr;
}

void SetLock(hid_t fapl, LockFunction lock)
{
  // HDF5's own copy of the class that was registered, which it does not change.
  if (const H5FD_class_t* table = ClassOf(H5Pget_driver(fapl)))
  {
    const_cast<H5FD_class_t*>(table)->lock = lock;
  }
}

void RequireTransferContext()
{
  if (!Ours().TransferMode)
  {
    Hidden("H5CX_get_io_xfer_mode");
  }
  if (!Ours().Types)
  {
    Hidden("H5CX_get_mpi_coll_datatypes");
  }
}

bool TransferIsCollective()
{
  H5FD_mpio_xfer_t mode = H5FD_MPIO_INDEPENDENT;
  return Ours().TransferMode && Ours().TransferMode(&mode) >= 0 && mode == H5FD_MPIO_COLLECTIVE;
}

TransferTypes CollectiveTypes()
{
  TransferTypes types;
  if (!Ours().Types || Ours().Types(&types.Memory, &types.File) < 0)
  {
    Hidden("H5CX_get_mpi_coll_datatypes");
  }
  return types;
}

}
