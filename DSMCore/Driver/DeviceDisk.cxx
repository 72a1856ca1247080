// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/DeviceDisk.h"

#include "Driver/DeviceStage.h"
#include "Driver/ErrorStack.h"
#include "Driver/Hdf5Library.h"
#include "Driver/Transfer.h"
#include "Memory/DeviceBuffers.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <sys/stat.h>

namespace dsm::devicedisk
{

namespace
{
using Inode = std::pair<dev_t, ino_t>;

struct Entry
{
  Inode File;
  bool Parallel = false;

  bool operator==(const Entry&) const = default;
};

struct Noted
{
  std::mutex Guard;
  std::map<const H5FD_t*, Entry> Files;
};

std::optional<Inode> InodeOf(const char* name)
{
  struct stat found = {};
  return stat(name, &found) == 0 ? std::optional(Inode(found.st_dev, found.st_ino)) : std::nullopt;
}

Noted& AllNoted()
{
  static Noted all;
  return all;
}

const H5FD_class_t& Real(bool parallel)
{
  return parallel ? hdf5library::Mpio() : hdf5library::Sec2();
}

/// Bytes of a buffer in a device's memory, as pieces, and memory of the host for all of them. One
/// call of MPI-IO moves them all, so that the host's memory is as large.
template <typename Byte>
class HostCopy
{
public:
  /// Adds a piece.
  void Add(Byte* memory, std::uint64_t size)
  {
    const std::less<> before;
    Byte* const end = memory + size;
    this->Begin = this->Pieces.empty() || before(memory, this->Begin) ? memory : this->Begin;
    this->End = this->Pieces.empty() || before(this->End, end) ? end : this->End;
    this->Pieces.push_back({ memory, size });
  }

  /// Returns what takes the place of the buffer in the call: it is where the pieces have the same
  /// distances from it in memory of the host. Fetches them if they are to be written. If that
  /// fails, Finish throws it: the other ranks are in the same call.
  Byte* Fetch(Byte* buffer, bool writes)
  {
    if (this->Pieces.empty())
    {
      return buffer;
    }
    this->Host.resize(static_cast<std::size_t>(this->End - this->Begin));
    try
    {
      if (writes)
      {
        DeviceBuffers::CopyBytes(this->Host.data(), this->Begin, this->Host.size());
      }
    }
    catch (const std::exception&)
    {
      this->Failure = std::current_exception();
    }
    return this->Host.data() + (buffer - this->Begin);
  }

  /// Throws what has failed. Copies to the device what was read, piece by piece: what lies between
  /// them stays.
  void Finish(bool wasRead) const
  {
    if (this->Failure)
    {
      std::rethrow_exception(this->Failure);
    }
    if constexpr (!std::is_const_v<Byte>)
    {
      for (const auto& [memory, size] : this->Pieces)
      {
        if (wasRead)
        {
          DeviceBuffers::CopyBytes(memory, this->Host.data() + (memory - this->Begin), size);
        }
      }
    }
  }

private:
  std::vector<std::pair<Byte*, std::uint64_t>> Pieces;
  Byte* Begin = nullptr;
  Byte* End = nullptr;
  std::vector<std::byte> Host;
  std::exception_ptr Failure;
};

// One piece at a time, by way of the stage.
template <typename Piece, typename Call>
herr_t MoveBySteps(const Piece& piece, const Call& call)
{
  herr_t done = 0;
  devicestage::Move(std::span(&piece, 1),
    [&](std::span<const Piece> steps)
    {
      for (const Piece& step : steps)
      {
        done = done < 0 ? done : call(step);
      }
    });
  return done;
}

// Adds the pieces of the buffer that the collective types of a scalar transfer select.
template <typename Byte>
void AddTyped(HostCopy<Byte>& copy, haddr_t address, std::size_t size, Byte* buffer)
{
  const auto types = hdf5library::CollectiveTypes();
  if (types.Memory == MPI_BYTE && types.File == MPI_BYTE)
  {
    if (size > 0)
    {
      copy.Add(buffer, size);
    }
    return;
  }
  transfer::ForEachTypedRun(types.Memory, types.File, address, size,
    [&](std::span<const transfer::TypedRun> runs)
    {
      for (const transfer::TypedRun& run : runs)
      {
        copy.Add(buffer + run.Displacement, run.Size);
      }
    });
}

template <bool Parallel>
herr_t Read(
  H5FD_t* file, H5FD_mem_t type, hid_t list, haddr_t address, std::size_t size, void* buffer)
{
  const auto real = Real(Parallel).read;
  return errorstack::Guard("read", herr_t{ -1 },
    [&]
    {
      DeviceDriver::Look();
      const DeviceBuffers devices(buffer);
      if (!DeviceBuffers::Find(buffer))
      {
        return real(file, type, list, address, size, buffer);
      }
      auto* const bytes = static_cast<std::byte*>(buffer);
      if (!Parallel)
      {
        return MoveBySteps(GetPiece{ address, bytes, size }, [&](const GetPiece& step)
          { return real(file, type, list, step.Place, step.Size, step.Memory); });
      }
      HostCopy<std::byte> copy;
      AddTyped(copy, address, size, bytes);
      const herr_t done = real(file, type, list, address, size, copy.Fetch(bytes, false));
      copy.Finish(done >= 0);
      return done;
    });
}

template <bool Parallel>
herr_t Write(
  H5FD_t* file, H5FD_mem_t type, hid_t list, haddr_t address, std::size_t size, const void* buffer)
{
  const auto real = Real(Parallel).write;
  return errorstack::Guard("write", herr_t{ -1 },
    [&]
    {
      const DeviceBuffers devices(buffer);
      if (!DeviceBuffers::Find(buffer))
      {
        return real(file, type, list, address, size, buffer);
      }
      const auto* const bytes = static_cast<const std::byte*>(buffer);
      if (!Parallel)
      {
        return MoveBySteps(PutPiece{ address, bytes, size }, [&](const PutPiece& step)
          { return real(file, type, list, step.Place, step.Size, step.Memory); });
      }
      HostCopy<const std::byte> copy;
      AddTyped(copy, address, size, bytes);
      const herr_t done = real(file, type, list, address, size, copy.Fetch(bytes, true));
      copy.Finish(false);
      return done;
    });
}

// Calls real(buffers) with those of the host in place of a device's. `pieces(i, buffer, add)` adds
// the pieces of a buffer. A null buffer repeats the one before, for all that follow.
template <typename Byte, typename Pieces, typename Call>
herr_t MoveAll(
  std::size_t count, Byte* const* buffers, bool writes, const Pieces& pieces, const Call& real)
{
  std::vector<HostCopy<Byte>> copies(count);
  std::vector<Byte*> hosts;
  Byte* buffer = nullptr;
  bool isLast = false;
  for (std::size_t i = 0; i < count; ++i)
  {
    isLast = isLast || !buffers[i];
    buffer = isLast ? buffer : buffers[i];
    if (DeviceBuffers::Find(buffer))
    {
      pieces(i, buffer, [&](Byte* memory, std::uint64_t size) { copies[i].Add(memory, size); });
    }
    hosts.push_back(copies[i].Fetch(buffer, writes));
  }
  const herr_t done = real(hosts.data());
  for (const HostCopy<Byte>& copy : copies)
  {
    copy.Finish(!writes && done >= 0);
  }
  return done;
}

// A size of 0 behind the first means that all others are as the one before it.
std::vector<std::size_t> AllSizes(std::size_t count, const std::size_t* sizes)
{
  std::vector<std::size_t> all;
  bool isLast = false;
  for (std::size_t i = 0; i < count; ++i)
  {
    isLast = isLast || (i > 0 && sizes[i] == 0);
    all.push_back(isLast ? all.back() : sizes[i]);
  }
  return all;
}

template <typename Byte, typename Pointer, typename Call>
herr_t MoveVector(
  std::uint32_t count, const std::size_t* sizes, Pointer* buffers, bool writes, const Call& real)
{
  return errorstack::Guard("vector", herr_t{ -1 },
    [&]
    {
      DeviceDriver::Look();
      DeviceBuffers devices;
      for (std::uint32_t i = 0; i < count; ++i)
      {
        devices.Add(buffers[i]);
      }
      if (!DeviceBuffers::Any())
      {
        return real(buffers);
      }
      const auto all = AllSizes(count, sizes);
      return MoveAll<Byte>(
        count, reinterpret_cast<Byte* const*>(buffers), writes,
        [&](std::size_t i, Byte* buffer, const auto& add)
        {
          if (all[i] > 0)
          {
            add(buffer, all[i]);
          }
        },
        [&](Byte** hosts) { return real(reinterpret_cast<Pointer*>(hosts)); });
    });
}

template <typename Byte, typename Pointer, typename Call>
herr_t MoveSelections(std::size_t count, const hid_t* memorySpaces, const std::size_t* elementSizes,
  Pointer* buffers, bool writes, const Call& real)
{
  return errorstack::Guard("selection", herr_t{ -1 },
    [&]
    {
      DeviceDriver::Look();
      DeviceBuffers devices;
      for (std::size_t i = 0; i < count && buffers[i]; ++i)
      {
        devices.Add(buffers[i]);
      }
      if (!DeviceBuffers::Any())
      {
        return real(buffers);
      }
      const auto all = AllSizes(count, elementSizes);
      return MoveAll<Byte>(
        count, reinterpret_cast<Byte* const*>(buffers), writes,
        [&](std::size_t i, Byte* buffer, const auto& add)
        {
          for (transfer::SelectionCursor run(memorySpaces[i], all[i]); !run.AtEnd();
            run.Advance(run.Length()))
          {
            add(buffer + run.Offset(), run.Length());
          }
        },
        [&](Byte** hosts) { return real(reinterpret_cast<Pointer*>(hosts)); });
    });
}

herr_t ReadVector(H5FD_t* file, hid_t list, std::uint32_t count, H5FD_mem_t* types,
  haddr_t* addresses, std::size_t* sizes, void** buffers)
{
  return MoveVector<std::byte>(count, sizes, buffers, false, [&](void** hosts)
    { return Real(true).read_vector(file, list, count, types, addresses, sizes, hosts); });
}

herr_t WriteVector(H5FD_t* file, hid_t list, std::uint32_t count, H5FD_mem_t* types,
  haddr_t* addresses, std::size_t* sizes, const void** buffers)
{
  return MoveVector<const std::byte>(count, sizes, buffers, true, [&](const void** hosts)
    { return Real(true).write_vector(file, list, count, types, addresses, sizes, hosts); });
}

herr_t ReadSelection(H5FD_t* file, H5FD_mem_t type, hid_t list, std::size_t count,
  hid_t* memorySpaces, hid_t* fileSpaces, haddr_t* offsets, std::size_t* elementSizes,
  void** buffers)
{
  return MoveSelections<std::byte>(count, memorySpaces, elementSizes, buffers, false,
    [&](void** hosts)
    {
      return Real(true).read_selection(
        file, type, list, count, memorySpaces, fileSpaces, offsets, elementSizes, hosts);
    });
}

herr_t WriteSelection(H5FD_t* file, H5FD_mem_t type, hid_t list, std::size_t count,
  hid_t* memorySpaces, hid_t* fileSpaces, haddr_t* offsets, std::size_t* elementSizes,
  const void** buffers)
{
  return MoveSelections<const std::byte>(count, memorySpaces, elementSizes, buffers, true,
    [&](const void** hosts)
    {
      return Real(true).write_selection(
        file, type, list, count, memorySpaces, fileSpaces, offsets, elementSizes, hosts);
    });
}

// A buffer in between would read the device's memory itself.
template <bool Parallel>
herr_t Query(const H5FD_t* file, unsigned long* flags)
{
  const herr_t done = Real(Parallel).query(file, flags);
  if (flags)
  {
    *flags &= ~static_cast<unsigned long>(H5FD_FEAT_DATA_SIEVE);
  }
  return done;
}

template <bool Parallel>
herr_t Close(H5FD_t* file)
{
  {
    const std::lock_guard lock(AllNoted().Guard);
    AllNoted().Files.erase(file);
  }
  return Real(Parallel).close(file);
}

template <bool Parallel>
H5FD_class_t Make()
{
  H5FD_class_t made = Real(Parallel);
  made.query = Query<Parallel>;
  made.close = Close<Parallel>;
  made.read = Read<Parallel>;
  made.write = Write<Parallel>;
  made.read_vector = made.read_vector ? ReadVector : nullptr;
  made.write_vector = made.write_vector ? WriteVector : nullptr;
  made.read_selection = made.read_selection ? ReadSelection : nullptr;
  made.write_selection = made.write_selection ? WriteSelection : nullptr;
  return made;
}
}

const H5FD_class_t& Class(bool parallel)
{
  if (parallel)
  {
    static const H5FD_class_t made = Make<true>();
    return made;
  }
  static const H5FD_class_t made = Make<false>();
  return made;
}

bool Has(const char* name, bool parallel)
{
  const auto wanted = InodeOf(name);
  const std::lock_guard lock(AllNoted().Guard);
  const auto& files = AllNoted().Files;
  return wanted &&
    std::any_of(files.begin(), files.end(),
      [&](const auto& one) { return one.second == Entry{ *wanted, parallel }; });
}

void Note(const H5FD_t* file, const char* name, bool parallel)
{
  if (const auto found = InodeOf(name))
  {
    const std::lock_guard lock(AllNoted().Guard);
    AllNoted().Files[file] = { *found, parallel };
  }
}

}
