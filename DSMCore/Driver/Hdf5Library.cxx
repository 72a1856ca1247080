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
  const hid_t* Sec2 = nullptr; ///< of HDF5 2, which registers its drivers when it starts
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
    this->Sec2 = static_cast<const hid_t*>(dlsym(handle, "H5FD_SEC2_id_g"));
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

const H5FD_class_t& Registered(InitFunction init, const hid_t* identifier, const char* name)
{
  if (!init && !identifier)
  {
    Hidden(name);
  }
  if (!Ours().Object)
  {
    Hidden("H5I_object");
  }
  const auto* found = static_cast<const H5FD_class_t*>(Ours().Object(init ? init() : *identifier));
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
  return Registered(Ours().Sec2Init, Ours().Sec2, "H5FD_sec2_init");
}

const H5FD_class_t& Mpio()
{
  return Registered(Ours().MpioInit, nullptr, "H5FD_mpio_init");
}

const H5FD_class_t* ClassOf(hid_t driver)
{
  return Ours().Object && H5Iget_type(driver) == H5I_VFL
    ? static_cast<const H5FD_class_t*>(Ours().Object(driver))
    : nullptr;
}

#ifdef H5_HAVE_PARALLEL
bool GetMpi(hid_t fapl, MPI_Comm* comm, MPI_Info* info)
{
  return H5Pget_mpi_params(fapl, comm, info) >= 0;
}

bool SetMpi(hid_t fapl, MPI_Comm comm, MPI_Info info)
{
  return H5Pset_mpi_params(fapl, comm, info) >= 0;
}
#else
bool GetMpi(hid_t, MPI_Comm* comm, MPI_Info* info)
{
  *comm = MPI_COMM_NULL;
  *info = MPI_INFO_NULL;
  return true;
}

bool SetMpi(hid_t, MPI_Comm, MPI_Info)
{
  return false;
}
#endif

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
