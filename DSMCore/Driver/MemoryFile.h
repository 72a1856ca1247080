// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/Pieces.h"
#include "Driver/FileOpenHere.h"
#include "Driver/MasterFile.h"
#include "Driver/OpenFiles.h"
#include "Driver/ReadAhead.h"
#include "Driver/SingleProcessPolicy.h"
#include "Driver/TransferMode.h"
#include "Mapping/AddressMap.h"
#include "Mpi/Communicator.h"
#include "Mpi/Info.h"
#include "Mpi/RankLock.h"
#include "Transport/Way.h"

#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <unistd.h>

namespace dsm
{

class SnapshotView;

/// An HDF5 file in the hosts' memory: what the driver's callbacks need, whether it is an
/// image being written or a snapshot being read. Addresses count from the file's first byte.
class MemoryFile
{
public:
  virtual ~MemoryFile() = default;

  /// True for what never changes.
  virtual bool IsReadOnly() const { return false; }

  /// The ranks that have opened it together, if they have; as long as it is open.
  virtual void SharedBy(const Communicator&) {}

  /// The program creates an object here, as all ranks have to. `object`: what tells it from others.
  virtual void NoteObject(std::string_view /*object*/) {}

  /// The name in the snapshot table; empty for what is none of its files.
  virtual std::string FileName() const { return {}; }

  /// The end of the file when it was opened.
  virtual std::uint64_t InitialEnd() const = 0;

  /// The largest address a file here could have.
  virtual std::uint64_t Capacity() const = 0;

  /// Returns what the user can do to write a larger file, as the end of an error message.
  virtual std::string AdviceForMore() const { return "write less per file"; }

  /// Copies bytes; all the pieces of one callback are complete after Complete().
  virtual void Read(FileOffset address, void* destination, std::uint64_t size) = 0;
  virtual void Write(FileOffset address, const void* source, std::uint64_t size) = 0;
  virtual void Complete() = 0;

  /// \name The same of pieces at their addresses
  /// Where a host's memory is not mapped, `together` lets the pieces for one host be few operations
  /// instead of one each.
  ///@{
  virtual void ReadPieces(std::span<const GetPiece> pieces, bool /*together*/)
  {
    for (const GetPiece& piece : pieces)
    {
      this->Read(piece.Address(), piece.Memory, piece.Size);
    }
  }
  virtual void WritePieces(std::span<const PutPiece> pieces, bool /*together*/)
  {
    for (const PutPiece& piece : pieces)
    {
      this->Write(piece.Address(), piece.Memory, piece.Size);
    }
  }
  ///@}

  /// \name What decides how pieces go; the same on all ranks that have opened the file
  ///@{
  /// How its bytes are spread over hosts; null: they are with this process.
  virtual const AddressMap* Mapping() const { return nullptr; }
  /// Whether all ranks reach all hosts' memory by copying.
  virtual bool IsMapped() const { return true; }
  ///@}

  /// Returns true if this rank may read and write bytes of the file from and to a GPU's memory
  /// (DeviceBuffers). Otherwise they go by way of memory of the host (DeviceStage).
  virtual bool TakesDeviceMemory() const { return false; }

  /// How bytes from an address on are reached, for people; none where no host has them.
  virtual std::optional<Way> WayTo(FileOffset /*address*/, std::uint64_t /*size*/) const
  {
    return std::nullopt;
  }

  /// The snapshot that is read; null for what is none. As long as the file is open.
  virtual const SnapshotView* Snapshot() const { return nullptr; }

  /// HDF5 opens or refreshes an object, and reads its header there next.
  virtual void BeginObject(FileOffset /*address*/) {}

  /// After a collective write: until every rank's bytes are where the others can read them.
  virtual void Synchronize() = 0;

  /// Others are to read the file from now on while it is written (HDF5's SWMR).
  virtual void LetOthersRead() {}

  /// HDF5 has flushed, but not to close. Behind a Truncate that was H5Fflush: the file is whole and
  /// consistent, and may be shown. Collective.
  virtual void Flush() = 0;

  /// Whether the file is to be flushed so that it is seen, since it was not for that long.
  /// Collective.
  virtual bool IsDue(Seconds) { return false; }

  /// HDF5 says how long the file is now; with `closing` nothing but the superblock follows.
  /// Collective.
  virtual void Truncate(std::uint64_t end, bool closing) = 0;

  /// HDF5 is done with the file: publishes an image. Collective. `end` is the end of the addresses
  /// in use. The first `userBlock` bytes of the file are not HDF5's (H5Pset_userblock).
  virtual void Close(std::uint64_t end, std::uint64_t userBlock) = 0;

  /// Returns true if all ranks have closed the file without an error and can keep its communicator
  /// for the next one. The same on all ranks.
  virtual bool LeavesRanks() const { return false; }

  /// Something that belongs to the file could not be stored, for that reason: it must not become a
  /// snapshot.
  virtual void MarkFailed(const Error& why) = 0;

  /// Adds to the time that the program spent in the driver; `transfer` marks reads and writes.
  virtual void AddTime(double seconds, bool transfer) = 0;
};

/// A file that is only read: what concerns writing does nothing.
class ReadOnlyFile : public MemoryFile
{
public:
  bool IsReadOnly() const override { return true; }
  /// HDF5 looks for a signature beyond the end of what is no HDF5 file: that is no fault here.
  std::uint64_t Capacity() const override { return std::numeric_limits<std::int64_t>::max(); }
  void Complete() override {}
  void Synchronize() override {}
  void Flush() override {}
  void Truncate(std::uint64_t, bool) override {}
  void Close(std::uint64_t, std::uint64_t) override {}
  void MarkFailed(const Error&) override {}
  void AddTime(double, bool) override {}
};

class CallTrace;
struct CallRecord;

/// What HDF5 holds of an open file: its own part first, then ours. HDF5 knows its address only.
struct OpenMemoryFile
{
  OpenMemoryFile();

  H5FD_t Public{};

  /// H5Fset_mpi_atomicity takes every file with MPI for one of the MPI-IO driver, whose structure
  /// goes on with its MPI_File here. A null one makes that call fail cleanly.
  MPI_File NoMpiFile = MPI_FILE_NULL;

  haddr_t AddressesEnd = 0;
  /// How long the file is. HDF5's page buffer reads no page that begins behind it.
  haddr_t FileEnd = 0;

  /// True when the file was opened by all ranks of a communicator.
  bool Parallel = false;
  Communicator Shared = Communicator::Single(); ///< what HDF5 gets when it asks for one
  std::uint64_t RanksNumber = 0; ///< by which it is kept (SpareCommunicators); 0: it is not
  Info Keys;
  std::string Name;                 ///< by which it was opened
  std::string Contact;              ///< as the access list had it
  std::optional<MasterFile> Master; ///< as which the files that it leads to are opened
  std::unique_ptr<MemoryFile> File;

  /// Files of one identity are the same to HDF5; one without is the same as itself only. Those that
  /// ranks opened together have none: HDF5 does not look there, nor with its own MPI-IO driver.
  std::string Identity;
  std::optional<FileOpenHere> Here; ///< none where it is only opened again
  std::optional<openfiles::Entry> Listed;

  /// \name Single-process I/O (SingleProcess); the same on all ranks
  ///@{
  SingleProcessPolicy OneForAll = SingleProcessPolicy::Asked;
  ReadAhead Ahead; ///< of a file that is only read
  ///@}

  /// Of a file that is only read and not mapped: what this rank has of its metadata.
  ReadAhead Metadata;

  /// \name MPI-IO's atomic mode (AtomicMode)
  ///@{
  bool Atomic = false;
  std::unique_ptr<RankLock> Atomicity; ///< where that needs one
  ///@}

  /// \name Where calls are traced (TracedCall)
  ///@{
  CallTrace* Trace = nullptr;
  std::uint64_t NumberInTrace = 0;
  CallRecord* Traced = nullptr; ///< the call under way
  ///@}

  /// A piece of a read.
  void Read(FileOffset address, void* destination, std::uint64_t size)
  {
    if (this->Traced) [[unlikely]]
    {
      this->NotePiece(address, size);
    }
    this->File->Read(address, destination, size);
  }

  TransferMode Transfer = TransferMode::Automatic; ///< where a transfer's list names none
  TransferUsed Used{};                             ///< by the last transfer of pieces

  /// A piece of a write. A file of several ranks ends for all of them where it did when they last
  /// met: each knows its own writes only, and HDF5 does not ask then.
  void Write(FileOffset address, const void* source, std::uint64_t size)
  {
    if (this->Traced) [[unlikely]]
    {
      this->NotePiece(address, size);
    }
    this->File->Write(address, source, size);
    if (!this->Parallel)
    {
      this->FileEnd = std::max<haddr_t>(this->FileEnd, address + size);
    }
  }

  /// The same of pieces that are written otherwise.
  void NoteEnd(std::span<const PutPiece> pieces)
  {
    for (const PutPiece& piece : pieces)
    {
      if (!this->Parallel)
      {
        this->FileEnd = std::max<haddr_t>(this->FileEnd, piece.Place + piece.Size);
      }
    }
  }

  /// \name In a forked child of the process that opened the file
  /// The file, its ranks and its connections are the parent's, so the child cannot write to it.
  /// HDF5 has the parent's unwritten metadata in the child as well, and writes it when the child
  /// closes the file or ends by exit(). The parent writes that metadata itself, so the child drops
  /// it.
  ///@{
  /// Returns true in such a child.
  bool Forked() const { return getpid() != this->Opener; }

  /// Drops metadata. Throws Error(Unsupported) for raw data, unless the child is in exit().
  void WriteForked(bool raw);

  /// Throws Error(Unsupported) if HDF5 flushes what was dropped, unless the flush is part of a
  /// close.
  void FlushForked(bool closing) const;

  /// Warns if metadata was dropped that may be the child's own, unless the child is in exit().
  void CloseForked() const;
  ///@}

  /// HDF5 has written these bytes of the superblock. Lets others read the file while it is written
  /// if the superblock says so (H5Fstart_swmr_write), or WhileRead does.
  void NoteSuperblock(const void* bytes, std::uint64_t size);

  bool WhileRead = false; ///< opened with H5F_ACC_SWMR_WRITE

  /// A piece of a read of metadata, which HDF5 reads in many small ones that lie together.
  void ReadMetadata(FileOffset address, void* destination, std::uint64_t size);

  /// Notes a piece of the call that is traced.
  void NotePiece(FileOffset address, std::uint64_t size) const;

private:
  pid_t Opener = getpid();
  bool DroppedMetadata = false; ///< in a forked child
};

}
