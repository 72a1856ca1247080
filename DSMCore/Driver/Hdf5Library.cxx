// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/Hdf5Library.h"

#include "Base/Error.h"

#include <dlfcn.h>

#include <string_view>

namespace dsm::hdf5library
{

namespace
{

using InitFunction = hid_t (*)();
using ObjectFunction = void* (*)(hid_t);
using ModeFunction = herr_t (*)(H5FD_mpio_xfer_t*);
using AskFunction = herr_t (*)();
using PeekFunction = herr_t (*)(void*, const char*, void*);
using SameFunction = hbool_t (*)();
using TypesFunction = herr_t (*)(MPI_Datatype*, MPI_Datatype*);

struct Library
{
  std::string File;
  std::string Prefix; ///< of its names: VTK's has vtkhdf5_H5open in place of H5open
  InitFunction Sec2Init = nullptr;
  InitFunction MpioInit = nullptr;
  void* Handle = nullptr; ///< kept: HDF5 stays loaded as long as this library does
  ObjectFunction Object = nullptr;
  ModeFunction TransferMode = nullptr;
  TypesFunction Types = nullptr;
  SameFunction Same = nullptr;
  AskFunction AskForDefault = nullptr;
  PeekFunction Peek = nullptr;

  Library()
  {
    Dl_info where{};
    if (dladdr(reinterpret_cast<void*>(&H5FDregister), &where) == 0 || !where.dli_fname)
    {
      return;
    }
    this->File = where.dli_fname;
    const std::string_view symbol = where.dli_sname ? where.dli_sname : "";
    if (symbol.ends_with("H5FDregister"))
    {
      this->Prefix = symbol.substr(0, symbol.size() - std::string_view("H5FDregister").size());
    }
    this->Handle = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!this->Handle)
    {
      return;
    }
    this->Find("H5FD_sec2_init", this->Sec2Init);
    this->Find("H5FD_mpio_init", this->MpioInit);
    this->Find("H5I_object", this->Object);
    this->Find("H5CX_get_io_xfer_mode", this->TransferMode);
    this->Find("H5CX_get_mpi_coll_datatypes", this->Types);
    this->Find("H5CX_get_mpio_rank0_bcast", this->Same);
    this->Find("H5P__facc_set_def_driver", this->AskForDefault);
    this->Find("H5P_peek", this->Peek);
  }

  template <typename Function>
  void Find(const char* name, Function& function)
  {
    function = reinterpret_cast<Function>(dlsym(this->Handle, (this->Prefix + name).c_str()));
  }
};

const Library& Ours()
{
  static const Library library;
  return library;
}

// HDF5 2 registers its drivers when it starts, and has their identifiers in variables. A program
// that uses one has a copy of it, which then is HDF5's as well (a copy relocation).
struct Identifier
{
  hid_t* Own = nullptr;
  hid_t* Programs = nullptr;

  explicit Identifier(const char* variable)
  {
    const std::string name = Ours().Prefix + variable;
    if (Ours().Handle)
    {
      this->Own = static_cast<hid_t*>(dlsym(Ours().Handle, name.c_str()));
    }
    if (this->Own)
    {
      this->Programs = static_cast<hid_t*>(dlsym(RTLD_DEFAULT, name.c_str()));
    }
  }

  hid_t* Now() const
  {
    return this->Programs && H5Iget_type(*this->Own) != H5I_VFL ? this->Programs : this->Own;
  }
};

// Looked for once: programs ask for each of their files.
const Identifier& MpioIdentifier()
{
  static const Identifier identifier("H5FD_MPIO_id_g");
  return identifier;
}

// What stands in for HDF5's MPI-IO driver, and that one.
hid_t StandIn = H5I_INVALID_HID;
hid_t StoodInFor = H5I_INVALID_HID;

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
  return Registered(Ours().Sec2Init, Identifier("H5FD_SEC2_id_g").Now(), "H5FD_sec2_init");
}

const H5FD_class_t& Mpio()
{
  const hid_t* now = MpioIdentifier().Now();
  const bool isOther = now && *now == StandIn;
  return Registered(Ours().MpioInit, isOther ? &StoodInFor : now, "H5FD_mpio_init");
}

void StandInForMpio(hid_t driver)
{
  // HDF5 sets it anew when it starts again after H5close.
  if (hid_t* now = MpioIdentifier().Now(); now && driver >= 0 && *now != driver)
  {
    StoodInFor = *now;
    StandIn = driver;
    *now = driver;
  }
}

bool AskForDefaultDriver()
{
  return Ours().AskForDefault && Ours().AskForDefault() >= 0;
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

std::optional<MpiHandles> PeekMpi(hid_t fapl)
{
  void* const list = Ours().Peek && Ours().Object && H5Iget_type(fapl) == H5I_GENPROP_LST
    ? Ours().Object(fapl)
    : nullptr;
  MpiHandles there;
  return list && Ours().Peek(list, "mpi_params_comm", &there.Comm) >= 0 &&
      Ours().Peek(list, "mpi_params_info", &there.Keys) >= 0
    ? std::optional(there)
    : std::nullopt;
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

std::optional<MpiHandles> PeekMpi(hid_t)
{
  return std::nullopt;
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

bool AllReadTheSame()
{
  return Ours().Same && Ours().Same();
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
