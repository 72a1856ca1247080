// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/SnapshotFile.h"

#include "Base/Error.h"
#include "Mpi/CollectiveWait.h"

#include <utility>

namespace dsm
{

SnapshotFile::SnapshotFile(std::unique_ptr<SnapshotView> view)
  : View(std::move(view))
{
}

std::uint64_t SnapshotFile::InitialEnd() const
{
  return this->View->Description().FileSize;
}

void SnapshotFile::Read(std::uint64_t address, void* destination, std::uint64_t size)
{
  this->View->Read(address, destination, size);
}

void SnapshotFile::Write(std::uint64_t, const void*, std::uint64_t)
{
  throw Error(Fault::Usage, "snapshot {} of {} never changes: it is open for reading only",
    this->View->Description().Number, this->View->Description().FileName);
}

void SnapshotFile::Close(std::uint64_t)
{
  if (this->Ranks && this->Ranks->Size() > 1 && MpiIsAlive())
  {
    const CollectiveWait::Purpose purpose("closing " + this->View->Description().FileName);
    this->Ranks->Barrier();
    if (this->Ranks->Rank() > 0)
    {
      this->View->HangUp();
    }
  }
  this->View.reset();
}

}
