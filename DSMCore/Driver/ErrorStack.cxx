// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/ErrorStack.h"

#include "Base/Error.h"
#include "Base/Log.h"

#include <hdf5.h>

#include <cstring>

#include <link.h>

namespace dsm::errorstack
{

namespace
{
// Identifiers die with HDF5 (H5close) and are made again when it comes back.
hid_t ErrorClass = H5I_INVALID_HID;
hid_t Major = H5I_INVALID_HID;
hid_t Minor = H5I_INVALID_HID;

int IsNetcdf(dl_phdr_info* object, std::size_t, void*)
{
  return object->dlpi_name && std::strstr(object->dlpi_name, "/libnetcdf") ? 1 : 0;
}

// netCDF hands on a number of its own ("NetCDF: HDF error") and leaves HDF5's texts where they are.
bool TextIsDropped()
{
  return dl_iterate_phdr(&IsNetcdf, nullptr) != 0;
}

bool PushOnStack(const char* function, const std::exception& error)
{
  return ErrorClass >= 0 && Major >= 0 && Minor >= 0 &&
    H5Epush2(H5E_DEFAULT, "H5FDdsm", function, 0, ErrorClass, Major, Minor, "%s", error.what()) >=
    0;
}
}

void Prepare() noexcept
{
  if (ErrorClass >= 0 && H5Iget_type(ErrorClass) == H5I_ERROR_CLASS)
  {
    return;
  }
  ErrorClass = H5Eregister_class("ParaView DSM", "ParaView DSM", "0.1");
  if (ErrorClass >= 0)
  {
    Major = H5Ecreate_msg(ErrorClass, H5E_MAJOR, "Distributed shared memory");
    Minor = H5Ecreate_msg(ErrorClass, H5E_MINOR, "File driver");
  }
}

void Push(const char* function, const std::exception& error) noexcept
{
  if (!PushOnStack(function, error) || TextIsDropped())
  {
    try
    {
      Log().error("{}", error.what());
    }
    catch (const std::exception&)
    {
      return; // nothing left to say it with
    }
  }
}

std::string InnermostReason()
{
  std::string reason;
  H5Ewalk2(
    H5E_DEFAULT, H5E_WALK_UPWARD,
    [](unsigned, const H5E_error2_t* entry, void* target) -> herr_t
    {
      auto& text = *static_cast<std::string*>(target);
      if (text.empty() && entry->desc)
      {
        text = entry->desc;
      }
      return 0;
    },
    &reason);
  return reason;
}

}
