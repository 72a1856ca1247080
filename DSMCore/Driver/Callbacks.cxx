// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/Callbacks.h"

#include "Base/Deadline.h"
#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Driver/AccessInfo.h"
#include "Driver/AtomicMode.h"
#include "Driver/ErrorStack.h"
#include "Driver/H5FDdsm.h"
#include "Driver/Hdf5Library.h"
#include "Driver/OpenFile.h"
#include "Driver/PassThrough.h"
#include "Driver/PieceTransfer.h"
#include "Driver/ProgramData.h"
#include "Driver/SingleProcess.h"
#include "Driver/TracedCall.h"
#include "Driver/Transfer.h"
#include "Memory/DeviceBuffers.h"
#include "Mpi/Leak.h"
#include "Mpi/SpareCommunicators.h"
#include "Peer/Connections.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

namespace dsm
{

namespace
{

using Operation = CallRecord::Operation;

constexpr unsigned long Features =
  H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;

OpenMemoryFile& Mine(H5FD_t* file)
{
  return *reinterpret_cast<OpenMemoryFile*>(file);
}

const OpenMemoryFile& Mine(const H5FD_t* file)
{
  return *reinterpret_cast<const OpenMemoryFile*>(file);
}

/// Counts the time of a callback towards the file's statistics.
class Stopwatch
{
public:
  Stopwatch(OpenMemoryFile& file, bool transfer)
    : File(*file.File)
    , Transfer(transfer)
  {
  }
  ~Stopwatch() { this->File.AddTime(Seconds(Clock::now() - this->Begin).count(), this->Transfer); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

private:
  MemoryFile& File;
  bool Transfer;
  Clock::time_point Begin = Clock::now();
};

bool IsCollective(const OpenMemoryFile& file)
{
  return file.Parallel && hdf5library::TransferIsCollective();
}

/// One callback's writes: complete at the hosts before HDF5 goes on, and on all ranks when all are
/// here, for the library reads what another rank wrote without a barrier of its own. A rank that
/// fails still meets the others, which would wait for it for ever.
template <typename Work>
herr_t WriteAll(OpenMemoryFile& file, bool collective, Work&& work)
{
  const Stopwatch watch(file, true);
  try
  {
    const atomicmode::Access access(file, true);
    work();
    file.File->Complete();
  }
  catch (...)
  {
    if (collective)
    {
      file.File->Synchronize();
    }
    throw;
  }
  if (collective)
  {
    file.File->Synchronize();
  }
  return 0;
}

template <typename Work>
herr_t ReadAll(OpenMemoryFile& file, Work&& work)
{
  const Stopwatch watch(file, true);
  const atomicmode::Access access(file, false);
  work();
  file.File->Complete();
  return 0;
}

/// Adds the pieces of a scalar transfer that MPI types describe: see hdf5library::CollectiveTypes.
template <typename Transfer, typename Byte>
void AddTyped(Transfer& transfer, haddr_t address, std::size_t count, Byte* buffer)
{
  const auto types = hdf5library::CollectiveTypes();
  if (types.Memory == MPI_BYTE && types.File == MPI_BYTE)
  {
    if (count > 0)
    {
      transfer.Add(FileOffset(address), buffer, count);
    }
    return;
  }
  transfer::ForEachTypedRun(types.Memory, types.File, address, count,
    [&](std::span<const transfer::TypedRun> runs)
    {
      for (const auto& [place, displacement, size] : runs)
      {
        transfer.Add(FileOffset(place), buffer + displacement, size);
      }
    });
}

/// Hands the pieces that are added to it to a visitor.
template <typename Byte, typename Visitor>
struct Visiting
{
  void Add(FileOffset address, const void* memory, std::uint64_t size) const
  {
    this->Visit(address, static_cast<Byte*>(const_cast<void*>(memory)), size);
  }
  const Visitor& Visit;
};

/// Moves what walk(transfer) adds to it, and notes it where calls are traced. In atomic mode each
/// rank moves its own: who has the lock must not wait for others.
template <typename Piece, typename Walk>
void MoveNoted(OpenMemoryFile& file, hid_t list, bool collective, const Walk& walk)
{
  if (file.Traced) [[unlikely]]
  {
    const auto note = [&](FileOffset address, const std::byte*, std::uint64_t size)
    { file.NotePiece(address, size); };
    walk(Visiting<const std::byte, decltype(note)>{ note });
  }
  MovePieces<Piece>(file, list, collective && !file.Atomicity,
    [&](PieceTransfer<Piece>& transfer) { walk(transfer); });
  if (file.Traced) [[unlikely]]
  {
    file.Traced->Mode = TransferModeText(file.Used.Mode);
  }
}

/// Adds buffers of raw data, which are the program's and may lie in a GPU's memory. A null one
/// repeats the one before, for all that follow.
void AddBuffers(DeviceBuffers& devices, std::size_t count, const void* const* buffers)
{
  if (DeviceDriver::IsLoaded()) [[unlikely]]
  {
    for (std::size_t i = 0; i < count && buffers[i]; ++i)
    {
      devices.Add(buffers[i]);
    }
  }
}

/// Adds buffers that are written. One of which the device refuses to tell is an error behind this,
/// as any that cannot be read (ProgramData): the other ranks must not be kept waiting.
void AddSources(DeviceBuffers& devices, std::size_t count, const void* const* buffers)
{
  try
  {
    AddBuffers(devices, count, buffers);
  }
  catch (const Error& error)
  {
    Log().warn("{}", error.what());
  }
}

/// Adds buffers that are read into. If the program has loaded the library of a GPU since the file
/// was opened, a copy to such a buffer ends the program unless somebody looks.
template <typename Buffer>
void AddTargets(DeviceBuffers& devices, std::size_t count, Buffer const* buffers)
{
  if (DeviceDriver::IsExpected()) [[unlikely]]
  {
    DeviceDriver::Look();
  }
  AddBuffers(devices, count, buffers);
}

/// Raw data, with all ranks here: one process may transfer it for all.
bool IsCollectiveRaw(const OpenMemoryFile& file, H5FD_mem_t type)
{
  return type == H5FD_MEM_DRAW && IsCollective(file);
}

/// Reads what walk(transfer) adds to it by one process for all ranks, where that is wanted.
template <typename Walk>
bool ReadByOne(OpenMemoryFile& file, hid_t list, const Walk& walk)
{
  const Stopwatch watch(file, true);
  const auto check = SingleProcess::Wanted(file, list, true);
  return check &&
    SingleProcess::Read(file, list, *check, [&](const auto& visit)
      { walk(Visiting<std::byte, std::decay_t<decltype(visit)>>{ visit }); });
}

/// Returns true if raw data is among the pieces of a vector, whose kinds are abbreviated as in
/// transfer::ForEachOfVector.
bool HasRaw(const H5FD_mem_t* types, std::uint32_t count)
{
  const H5FD_mem_t* const end = std::find(types, types + count, H5FD_MEM_NOLIST);
  return std::find(types, end, H5FD_MEM_DRAW) != end;
}

/// The same of writing.
template <typename Walk>
bool WriteByOne(OpenMemoryFile& file, hid_t list, const Walk& walk)
{
  const Stopwatch watch(file, true);
  const auto check = SingleProcess::Wanted(file, list, false);
  return check &&
    SingleProcess::Write(file, list, *check, [&](const auto& visit)
      { walk(Visiting<const std::byte, std::decay_t<decltype(visit)>>{ visit }); });
}

herr_t Terminate()
{
  return errorstack::Guard("terminate", herr_t{ -1 },
    []
    {
      connections::Clear();
      return herr_t{ 0 };
    });
}

void* GetAccess(H5FD_t* file)
{
  return errorstack::Guard("fapl_get", static_cast<void*>(nullptr),
    [&]() -> void*
    {
      // A list that names no server has nothing of ours, and that of a file which is written is to
      // equal it.
      const OpenMemoryFile& mine = Mine(file);
      if (mine.Contact.empty() && !mine.Master)
      {
        return nullptr;
      }
      AccessInfo info = AccessInfo::For(mine.Contact);
      info.Master = mine.Master ? MasterFile::Enter(*mine.Master) : 0;
      void* copy = H5allocate_memory(sizeof info, false);
      if (copy)
      {
        std::memcpy(copy, &info, sizeof info);
      }
      return copy;
    });
}

H5FD_t* Open(const char* name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
  errorstack::Prepare();
  return errorstack::Guard("open", static_cast<H5FD_t*>(nullptr),
    [&]() -> H5FD_t*
    {
      const auto begin = Clock::now();
      DeviceDriver::Look();
      AccessList access = AccessList::Read(fapl);
      const bool mayBeMade = (flags & (H5F_ACC_CREAT | H5F_ACC_TRUNC | H5F_ACC_EXCL)) != 0;
      for (int looks = 1;; ++looks)
      {
        if (auto opened = OpenInMemory(name, flags, access))
        {
          TracedCall::Opened(*opened, begin);
          hdf5library::SetLock(fapl, nullptr);
          return &opened.release()->Public;
        }
        H5FD_t* const file = passthrough::Open(access.Parallel(), name, flags, fapl, maxaddr);
        if (mayBeMade || looks == MostLooks ||
          !MayBeInMemory(name, passthrough::Descriptor(file), access))
        {
          return file;
        }
        passthrough::Close(file); // another file has come since the name was looked at
      }
    });
}

herr_t Close(H5FD_t* file)
{
  return errorstack::Guard("close", herr_t{ -1 },
    [&]
    {
      // Whatever happens, HDF5 has forgotten the file.
      std::unique_ptr<OpenMemoryFile> mine(&Mine(file));
      if (mine->Forked())
      {
        mine->CloseForked();
        Leak(std::move(mine));
        return herr_t{ 0 };
      }
      const TracedCall call(*mine, mine->File->IsReadOnly() ? Operation::Close : Operation::Seal);
      atomicmode::End(*mine);
      mine->File->Close(mine->AddressesEnd, mine->Public.base_addr);
      if (mine->RanksNumber != 0 && mine->File->LeavesRanks())
      {
        SpareCommunicators::Keep(mine->RanksNumber, std::move(mine->Shared));
      }
      return herr_t{ 0 };
    });
}

int Compare(const H5FD_t* one, const H5FD_t* other)
{
  const std::string& identity = Mine(one).Identity;
  return identity.empty() && one != other ? (std::less<>()(one, other) ? -1 : 1)
                                          : identity.compare(Mine(other).Identity);
}

/// A file one process has for itself closes as one of sec2 does: with the last object in it. And
/// HDF5 asks whether it has it open already.
const H5FD_class_t& SerialClass()
{
  static const H5FD_class_t table = []
  {
    H5FD_class_t made = DriverClass();
    made.fc_degree = H5F_CLOSE_WEAK;
    made.cmp = Compare;
    return made;
  }();
  return table;
}

herr_t Query(const H5FD_t* file, unsigned long* flags)
{
  herr_t result = 0;
  if (!flags || passthrough::TakeOver(file, flags, result))
  {
    return result;
  }
  // Asked without a file: programs call MPI where a driver has it.
  *flags = Features | (file || MpiIsAlive() ? H5FD_FEAT_HAS_MPI : 0);
  if (file && !Mine(file).Parallel)
  {
    const_cast<H5FD_t*>(file)->cls = &SerialClass();
    *flags = Features | H5FD_FEAT_SUPPORTS_SWMR_IO;
  }
  return 0;
}

haddr_t GetEoa(const H5FD_t* file, H5FD_mem_t)
{
  return Mine(file).AddressesEnd;
}

// Local and cheap: the map is the same on all ranks, so they all fail or none.
herr_t SetEoa(H5FD_t* file, H5FD_mem_t, haddr_t address)
{
  return errorstack::Guard("set_eoa", herr_t{ -1 },
    [&]
    {
      const std::uint64_t capacity = Mine(file).File->Capacity();
      if (address > capacity)
      {
        const Error error(Fault::RingFull,
          "the file would grow to {}, and the hosts' memory has room for {} of one file: {}",
          environment::FormatBytes(address), environment::FormatBytes(capacity),
          Mine(file).File->AdviceForMore());
        Mine(file).File->MarkFailed(error);
        throw Error(error);
      }
      Mine(file).AddressesEnd = address;
      return herr_t{ 0 };
    });
}

haddr_t GetEof(const H5FD_t* file, H5FD_mem_t)
{
  return Mine(file).FileEnd;
}

herr_t GetHandle(H5FD_t* file, hid_t, void** handle)
{
  // As the MPI-IO driver does; here it is MPI_FILE_NULL.
  *handle = static_cast<void*>(&Mine(file).NoMpiFile);
  return 0;
}

herr_t Read(
  H5FD_t* file, H5FD_mem_t type, hid_t list, haddr_t address, std::size_t size, void* buffer)
{
  return errorstack::Guard("read", herr_t{ -1 },
    [&]
    {
      OpenMemoryFile& mine = Mine(file);
      const TracedCall call(mine, Operation::Read, type);
      DeviceBuffers devices;
      if (type == H5FD_MEM_DRAW)
      {
        AddTargets(devices, 1, &buffer);
      }
      const bool together = IsCollectiveRaw(mine, type);
      const auto walk = [&](auto&& transfer)
      { AddTyped(transfer, address, size, static_cast<std::byte*>(buffer)); };
      if (together && ReadByOne(mine, list, walk))
      {
        return herr_t{ 0 };
      }
      return ReadAll(mine,
        [&]
        {
          if (together)
          {
            MoveNoted<GetPiece>(mine, list, true, walk);
          }
          else if (DeviceBuffers::Any() && size > 0) [[unlikely]]
          {
            MoveNoted<GetPiece>(mine, list, false,
              [&](auto&& transfer) { transfer.Add(FileOffset(address), buffer, size); });
          }
          else if (size > 0)
          {
            if (type == H5FD_MEM_OHDR)
            {
              mine.File->BeginObject(FileOffset(address));
            }
            type == H5FD_MEM_DRAW ? mine.Read(FileOffset(address), buffer, size)
                                  : mine.ReadMetadata(FileOffset(address), buffer, size);
          }
        });
    });
}

herr_t Write(
  H5FD_t* file, H5FD_mem_t type, hid_t list, haddr_t address, std::size_t size, const void* buffer)
{
  return errorstack::Guard("write", herr_t{ -1 },
    [&]
    {
      OpenMemoryFile& mine = Mine(file);
      if (mine.Forked())
      {
        mine.WriteForked(type == H5FD_MEM_DRAW);
        return herr_t{ 0 };
      }
      const TracedCall call(mine, Operation::Write, type);
      DeviceBuffers devices;
      const bool raw = type == H5FD_MEM_DRAW;
      if (raw)
      {
        AddSources(devices, 1, &buffer);
      }
      const bool collective = IsCollective(mine);
      const auto walk = [&](auto&& transfer)
      { AddTyped(transfer, address, size, static_cast<const std::byte*>(buffer)); };
      if (collective && raw && WriteByOne(mine, list, walk))
      {
        return herr_t{ 0 };
      }
      const herr_t written = WriteAll(mine, collective,
        [&]
        {
          if (collective)
          {
            MoveNoted<PutPiece>(mine, list, true, walk);
          }
          else if (size > 0)
          {
            const PutPiece piece{ address, static_cast<const std::byte*>(buffer), size };
            // HDF5 owns all memory but that of raw data.
            if (raw)
            {
              programdata::RequireReadable(mine.Name, { &piece, 1 }, devices);
            }
            if (DeviceBuffers::Any()) [[unlikely]]
            {
              MoveNoted<PutPiece>(mine, list, false,
                [&](auto&& transfer) { transfer.Add(FileOffset(address), buffer, size); });
            }
            else
            {
              mine.Write(FileOffset(address), buffer, size);
            }
          }
        });
      if (type == H5FD_MEM_SUPER && !mine.Parallel)
      {
        mine.NoteSuperblock(buffer, size);
      }
      return written;
    });
}

herr_t ReadVector(H5FD_t* file, hid_t list, std::uint32_t count, H5FD_mem_t* types,
  haddr_t* addresses, std::size_t* sizes, void** buffers)
{
  return errorstack::Guard("read_vector", herr_t{ -1 },
    [&]
    {
      OpenMemoryFile& mine = Mine(file);
      TracedCall call(mine, Operation::Read);
      call.SetKinds(types, count);
      DeviceBuffers devices;
      if (HasRaw(types, count))
      {
        AddTargets(devices, count, buffers);
      }
      return ReadAll(mine,
        [&]
        {
          MoveNoted<GetPiece>(mine, list, IsCollective(mine),
            [&](auto&& transfer)
            {
              transfer::ForEachOfVector(count, addresses, sizes, buffers,
                [&](haddr_t address, void* buffer, std::uint64_t size)
                { transfer.Add(FileOffset(address), buffer, size); });
            });
        });
    });
}

herr_t WriteVector(H5FD_t* file, hid_t list, std::uint32_t count, H5FD_mem_t* types,
  haddr_t* addresses, std::size_t* sizes, const void** buffers)
{
  return errorstack::Guard("write_vector", herr_t{ -1 },
    [&]
    {
      OpenMemoryFile& mine = Mine(file);
      if (mine.Forked())
      {
        mine.WriteForked(HasRaw(types, count));
        return herr_t{ 0 };
      }
      TracedCall call(mine, Operation::Write);
      call.SetKinds(types, count);
      DeviceBuffers devices;
      if (HasRaw(types, count))
      {
        AddSources(devices, count, buffers);
      }
      const bool collective = IsCollective(mine);
      return WriteAll(mine, collective,
        [&]
        {
          MoveNoted<PutPiece>(mine, list, collective,
            [&](auto&& transfer)
            {
              transfer::ForEachOfVector(count, addresses, sizes, buffers,
                [&](haddr_t address, const void* buffer, std::uint64_t size)
                { transfer.Add(FileOffset(address), buffer, size); });
            });
        });
    });
}

herr_t ReadSelection(H5FD_t* file, H5FD_mem_t type, hid_t list, std::size_t count,
  hid_t* memorySpaces, hid_t* fileSpaces, haddr_t* offsets, std::size_t* elementSizes,
  void** buffers)
{
  return errorstack::Guard("read_selection", herr_t{ -1 },
    [&]
    {
      OpenMemoryFile& mine = Mine(file);
      const TracedCall call(mine, Operation::Read, type);
      DeviceBuffers devices;
      AddTargets(devices, count, buffers);
      const bool collective = IsCollective(mine);
      const auto walk = [&](auto&& transfer)
      {
        transfer::ForEachOfSelections(count, memorySpaces, fileSpaces, offsets, elementSizes,
          buffers, [&](haddr_t address, std::byte* buffer, std::uint64_t size)
          { transfer.Add(FileOffset(address), buffer, size); });
      };
      if (collective && type == H5FD_MEM_DRAW && ReadByOne(mine, list, walk))
      {
        return herr_t{ 0 };
      }
      return ReadAll(mine, [&] { MoveNoted<GetPiece>(mine, list, collective, walk); });
    });
}

herr_t WriteSelection(H5FD_t* file, H5FD_mem_t type, hid_t list, std::size_t count,
  hid_t* memorySpaces, hid_t* fileSpaces, haddr_t* offsets, std::size_t* elementSizes,
  const void** buffers)
{
  return errorstack::Guard("write_selection", herr_t{ -1 },
    [&]
    {
      OpenMemoryFile& mine = Mine(file);
      if (mine.Forked())
      {
        mine.WriteForked(type == H5FD_MEM_DRAW);
        return herr_t{ 0 };
      }
      const TracedCall call(mine, Operation::Write, type);
      DeviceBuffers devices;
      AddSources(devices, count, buffers);
      const bool collective = IsCollective(mine);
      const auto walk = [&](auto&& transfer)
      {
        transfer::ForEachOfSelections(count, memorySpaces, fileSpaces, offsets, elementSizes,
          buffers, [&](haddr_t address, const std::byte* buffer, std::uint64_t size)
          { transfer.Add(FileOffset(address), buffer, size); });
      };
      if (collective && type == H5FD_MEM_DRAW && WriteByOne(mine, list, walk))
      {
        return herr_t{ 0 };
      }
      return WriteAll(mine, collective, [&] { MoveNoted<PutPiece>(mine, list, collective, walk); });
    });
}

herr_t Flush(H5FD_t* file, hid_t, hbool_t closing)
{
  return errorstack::Guard("flush", herr_t{ -1 },
    [&]
    {
      OpenMemoryFile& mine = Mine(file);
      if (mine.Forked())
      {
        mine.FlushForked(closing);
        return herr_t{ 0 };
      }
      const TracedCall call(mine, Operation::Flush);
      const Stopwatch watch(mine, false);
      mine.File->Complete();
      if (!closing)
      {
        mine.File->Flush();
      }
      return herr_t{ 0 };
    });
}

herr_t Truncate(H5FD_t* file, hid_t, hbool_t closing)
{
  return errorstack::Guard("truncate", herr_t{ -1 },
    [&]
    {
      OpenMemoryFile& mine = Mine(file);
      if (mine.Forked())
      {
        return herr_t{ 0 };
      }
      TracedCall call(mine, Operation::Truncate);
      call.SetAddress(mine.AddressesEnd);
      const Stopwatch watch(mine, false);
      mine.File->Truncate(mine.AddressesEnd, closing);
      mine.FileEnd = mine.AddressesEnd;
      return herr_t{ 0 };
    });
}

herr_t Delete(const char* name, hid_t fapl)
{
  errorstack::Prepare();
  return errorstack::Guard("del", herr_t{ -1 },
    [&]
    {
      bool parallel = false;
      {
        const AccessList access = AccessList::Read(fapl);
        parallel = access.Parallel();
        if (DeleteInMemory(name, access))
        {
          return herr_t{ 0 };
        }
      }
      return passthrough::Delete(parallel, name, fapl);
    });
}

template <typename T>
herr_t Answer(void** output, T value)
{
  **reinterpret_cast<T**>(output) = value;
  return 0;
}

herr_t Control(
  H5FD_t* file, std::uint64_t operation, std::uint64_t flags, const void*, void** output)
{
  return errorstack::Guard("ctl", herr_t{ -1 },
    [&]() -> herr_t
    {
      const OpenMemoryFile& mine = Mine(file);
      switch (mine.Parallel ? operation : H5FD_CTL_INVALID_OPCODE)
      {
        case H5FD_CTL_GET_MPI_COMMUNICATOR_OPCODE:
          return Answer(output, mine.Shared.Handle());
        case H5FD_CTL_GET_MPI_INFO_OPCODE:
          return Answer(output, mine.Keys.Handle());
        case H5FD_CTL_GET_MPI_RANK_OPCODE:
          return Answer(output, mine.Shared.Rank());
        case H5FD_CTL_GET_MPI_SIZE_OPCODE:
          return Answer(output, mine.Shared.Size());
        case H5FD_CTL_GET_MPI_FILE_SYNC_OPCODE:
          return Answer(output, false);
        default:
          break;
      }
      if (flags & H5FD_CTL_FAIL_IF_UNKNOWN_FLAG)
      {
        throw Error(
          Fault::Unsupported, "a file in memory knows no control operation {}", operation);
      }
      return 0;
    });
}

H5FD_class_t MakeClass()
{
  H5FD_class_t table{};
  table.version = H5FD_CLASS_VERSION;
  table.value = H5FD_DSM_VALUE;
  table.name = H5FD_DSM_NAME;
  table.maxaddr = (haddr_t{ 1 } << 63) - 1;
  table.fc_degree = H5F_CLOSE_SEMI;
  table.terminate = Terminate;
  table.fapl_size = sizeof(AccessInfo);
  table.fapl_get = GetAccess;
  table.open = Open;
  table.close = Close;
  table.query = Query;
  table.get_eoa = GetEoa;
  table.set_eoa = SetEoa;
  table.get_eof = GetEof;
  table.get_handle = GetHandle;
  table.read = Read;
  table.write = Write;
  table.read_vector = ReadVector;
  table.write_vector = WriteVector;
  table.read_selection = ReadSelection;
  table.write_selection = WriteSelection;
  table.flush = Flush;
  table.truncate = Truncate;
  table.del = Delete;
  table.ctl = Control;
  // Metadata and data from separate free lists, as in HDF5's own drivers. What is not set above
  // stays null on purpose: no driver information in the superblock (images are plain HDF5 files),
  // no lock (its marks in the superblock would outlive a crash), no comparison of files: where the
  // access list's class has one, HDF5 opens each file twice, first to look. OpenInMemory looks.
  constexpr H5FD_mem_t freeLists[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(freeLists), std::end(freeLists), table.fl_map);
  return table;
}

}

const H5FD_class_t& DriverClass()
{
  static const H5FD_class_t table = MakeClass();
  return table;
}

}
