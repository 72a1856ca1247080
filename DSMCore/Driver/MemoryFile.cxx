// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/MemoryFile.h"

#include "Driver/CallRecord.h"

namespace dsm
{

void OpenMemoryFile::NotePiece(std::uint64_t address, std::uint64_t size) const
{
  CallRecord& record = *this->Traced;
  if (record.Pieces == 0)
  {
    record.Address = address;
  }
  record.Pieces += 1;
  record.Size += size;
  for (std::uint64_t done = 0; done < size;)
  {
    const auto way = this->File->WayTo(address + done, size - done);
    if (!way)
    {
      break;
    }
    const std::uint64_t run = std::min(way->Run, size - done);
    record.Add(*way, run);
    done += run;
  }
}

}
