// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/MemoryFile.h"

#include "Driver/CallRecord.h"

#include <cstring>
#include <utility>

namespace dsm
{

// Where reading is not copying and the bytes never change, most pieces are had with their
// neighbours.
void OpenMemoryFile::ReadMetadata(haddr_t address, void* destination, std::uint64_t size)
{
  if (!this->File->IsReadOnly() || this->File->IsMapped())
  {
    this->Read(address, destination, size);
    return;
  }
  const std::byte* here = this->Metadata.Find(address, size);
  if (here)
  {
    if (this->Traced)
    {
      this->Traced->Address = address;
      this->Traced->Size = size;
      this->Traced->Pieces = 1;
    }
  }
  else
  {
    const auto range = this->Metadata.Next(address, size, this->File->InitialEnd());
    if (!range)
    {
      this->Read(address, destination, size);
      return;
    }
    Bytes bytes(range->End - range->Begin);
    this->Read(range->Begin, bytes.data(), bytes.size());
    this->File->Complete();
    this->Metadata.Keep(range->Begin, std::move(bytes));
    here = this->Metadata.Find(address, size);
  }
  std::memcpy(destination, here, size);
}

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
