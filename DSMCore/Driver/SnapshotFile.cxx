// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/SnapshotFile.h"

#include "Base/Error.h"
#include "Driver/SnapshotsRead.h"
#include "Mpi/CollectiveWait.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
// What every HDF5 file begins with.
constexpr std::uint64_t SignatureSize = 8;
}

SnapshotFile::SnapshotFile(std::unique_ptr<SnapshotView> view, bool mapped)
  : View(std::move(view))
  , Mapped(mapped)
{
}

std::uint64_t SnapshotFile::InitialEnd() const
{
  return this->View->Description().FileSize;
}

void SnapshotFile::Read(FileOffset address, void* destination, std::uint64_t size)
{
  this->View->Read(address, destination, size);
  // Who only looks whether it is an HDF5 file (H5Fis_accessible) opens it once more to read it.
  this->WasRead = this->WasRead || size > SignatureSize;
}

void SnapshotFile::CountsAsRead(const std::string& contact, const std::string& fileName)
{
  this->Counts = { contact, fileName };
}

void SnapshotFile::ReadPieces(std::span<const GetPiece> pieces, bool together)
{
  this->View->ReadPieces(pieces, together);
  this->WasRead = true;
}

void SnapshotFile::Write(FileOffset, const void*, std::uint64_t)
{
  throw Error(Fault::Usage, "snapshot {} of {} never changes: it is open for reading only",
    this->View->Description().Number, this->View->Description().FileName);
}

// HDF5 reads beyond the end, where nothing is.
std::optional<Way> SnapshotFile::WayTo(FileOffset address, std::uint64_t size) const
{
  const std::uint64_t end = this->InitialEnd();
  return address < end ? std::optional(this->View->WayTo(address, std::min(size, end - address)))
                       : std::nullopt;
}

void SnapshotFile::Close(std::uint64_t, std::uint64_t)
{
  if (this->Counts && this->WasRead)
  {
    SnapshotsRead::Note(
      this->Counts->Contact, this->Counts->FileName, this->View->Description().Number);
  }
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
