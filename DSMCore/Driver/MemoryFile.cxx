// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/MemoryFile.h"

#include "Base/Hdf5Signature.h"
#include "Base/Log.h"
#include "Driver/CallRecord.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace dsm
{

namespace
{
bool Exiting = false;

Error ForkedError(const std::string& name, pid_t opener)
{
  return { Fault::Unsupported,
    "cannot write to {} in process {}, which was forked while process {} had the file open. Write "
    "to it in process {}, or write to another file",
    name, getpid(), opener, opener };
}
}

OpenMemoryFile::OpenMemoryFile()
{
  // Handlers run in the reverse order of their registration, and HDF5 has registered the one that
  // closes its files before it opens any. A forked child inherits both.
  [[maybe_unused]] static const int registered = std::atexit([] { Exiting = true; });
}

void OpenMemoryFile::WriteForked(bool raw)
{
  if (raw && !Exiting)
  {
    throw Error(ForkedError(this->Name, this->Opener));
  }
  this->DroppedMetadata = true;
}

void OpenMemoryFile::FlushForked(bool closing) const
{
  if (this->DroppedMetadata && !closing && !Exiting)
  {
    throw Error(ForkedError(this->Name, this->Opener));
  }
}

void OpenMemoryFile::CloseForked() const
{
  if (this->DroppedMetadata && !Exiting)
  {
    Log().warn("{} was closed in process {}, which was forked while process {} had the file open: "
               "changes that process {} made to the file are not stored",
      this->Name, getpid(), this->Opener, getpid());
  }
}

// Where reading is not copying and the bytes never change, most pieces are had with their
// neighbours.
void OpenMemoryFile::ReadMetadata(FileOffset address, void* destination, std::uint64_t size)
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
    this->Read(FileOffset(range->Begin), bytes.data(), bytes.size());
    this->File->Complete();
    this->Metadata.Keep(range->Begin, std::move(bytes));
    here = this->Metadata.Find(address, size);
  }
  std::memcpy(destination, here, size);
}

// The mark of a SWMR writer is in the consistency flags, which version 3 begins with.
void OpenMemoryFile::NoteSuperblock(const void* bytes, std::uint64_t size)
{
  constexpr std::size_t Version = 8;
  constexpr std::size_t Flags = 11;
  constexpr std::byte IsSwmr{ 4 };
  const auto* const block = static_cast<const std::byte*>(bytes);
  if (size > Flags && std::memcmp(block, Hdf5Signature.data(), Hdf5Signature.size()) == 0 &&
    (this->WhileRead ||
      (block[Version] >= std::byte{ 3 } && (block[Flags] & IsSwmr) != std::byte{ 0 })))
  {
    this->File->LetOthersRead();
  }
}

void OpenMemoryFile::NotePiece(FileOffset address, std::uint64_t size) const
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
