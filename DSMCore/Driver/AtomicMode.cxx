// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/AtomicMode.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/Timeouts.h"

namespace dsm::atomicmode
{

void Set(OpenMemoryFile& file, bool on)
{
  if (!file.Parallel)
  {
    throw Error(Fault::Usage,
      "{} is one process's own: atomic mode is for files that ranks open together", file.Name);
  }
  // What never changes is read as a whole in any case.
  const bool needsLock = on && file.Shared.Size() > 1 && !file.File->IsReadOnly();
  if (needsLock && !file.Atomicity)
  {
    file.Atomicity = std::make_unique<RankLock>(file.Shared);
  }
  else if (!needsLock)
  {
    End(file);
  }
  file.Atomic = on;
}

void End(OpenMemoryFile& file)
{
  if (file.Atomicity && MpiIsAlive())
  {
    file.Atomicity->Free();
  }
  file.Atomicity.reset();
}

void Access::Begin()
{
  this->Lock->Lock(this->ToWrite, RequestTimeout());
}

void Access::End() noexcept
{
  try
  {
    this->Lock->Unlock(this->ToWrite);
  }
  catch (const std::exception& error)
  {
    Log().error("{}", error.what());
  }
}

}
