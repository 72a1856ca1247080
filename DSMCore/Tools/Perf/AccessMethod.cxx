// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Perf/AccessMethod.h"

#include "Base/Error.h"
#include "Tools/Perf/Hdf5Files.h"
#include "Tools/Perf/MpiIoFiles.h"
#include "Tools/Perf/PosixFiles.h"

namespace dsm::perf
{

std::unique_ptr<AccessMethod> MakeAccessMethod(const std::string& api, const AccessPlan& plan)
{
  if (api == "posix")
  {
    return std::make_unique<PosixFiles>(plan);
  }
  if (api == "mpiio")
  {
    return std::make_unique<MpiIoFiles>(plan);
  }
  if (api == "phdf5" || api == "dsm")
  {
    return std::make_unique<Hdf5Files>(
      plan, api == "dsm" ? Hdf5Files::Driver::Dsm : Hdf5Files::Driver::MpiIo);
  }
  throw Error(Fault::Usage, "there is no api \"{}\": posix, mpiio, phdf5 or dsm", api);
}

}
