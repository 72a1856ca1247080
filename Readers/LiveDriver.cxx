// SPDX-License-Identifier: BSD-3-Clause
#include "LiveDriver.h"

#include "Base/Error.h"
#include "Driver/H5FDdsm.h"
#include "LibraryCheck.h"

namespace dsm::readers
{

void UseLiveDriver()
{
  RequireLibraries();
  if (H5FD_dsm_set_default() < 0)
  {
    throw Error(Fault::System,
      "HDF5 refuses the DSM's driver: ParaView and the plugin may use two different HDF5 "
      "libraries");
  }
}

}
