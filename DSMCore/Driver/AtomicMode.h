// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Driver/MemoryFile.h"

namespace dsm
{

/// MPI-IO's atomic mode (MPI_File_set_atomicity) for a file of several ranks: what one of them
/// writes by one call, others read as a whole or not at all. Each call of HDF5's to the driver has
/// the file to itself, or shares it with others that read: one lock for the file, in the order in
/// which they come (RankLock). Only its ranks need it: nobody else sees a file that is written.
namespace atomicmode
{

/// Collective over the file's ranks. Throws Error(Usage) where one process has the file for itself,
/// as MPI-IO's files alone have that mode.
void Set(OpenMemoryFile& file, bool on);

/// Collective: gives back what Set has made. Behind the last transfer.
void End(OpenMemoryFile& file);

/// While one exists, the file is this rank's, to read or to write, where it is in atomic mode; else
/// it is a branch.
class Access
{
public:
  /// Throws Error(TimedOut) when others have it for longer than DSM_TIMEOUT without another coming
  /// or going.
  Access(OpenMemoryFile& file, bool toWrite)
    : Lock(file.Atomicity.get())
    , ToWrite(toWrite)
  {
    if (this->Lock) [[unlikely]]
    {
      this->Begin();
    }
  }
  ~Access()
  {
    if (this->Lock) [[unlikely]]
    {
      this->End();
    }
  }
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

private:
  void Begin();
  void End() noexcept;

  RankLock* const Lock;
  const bool ToWrite;
};

}

}
