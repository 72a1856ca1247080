// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/Segment.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Memory/NodeMemory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#ifndef MADV_POPULATE_READ
#  define MADV_POPULATE_READ 22
#endif

namespace dsm
{

namespace
{
// The file system that shared memory is taken from: its size is a limit that an administrator sets.
constexpr const char* MemoryFolder = "/dev/shm";

std::uint64_t PageSize()
{
  static const auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::uint64_t RoundUp(std::uint64_t offset)
{
  return (offset + PageSize() - 1) / PageSize() * PageSize();
}

// The whole pages that hold [offset, offset + size).
struct PageRange
{
  std::uint64_t Begin;
  std::uint64_t Size;

  PageRange(std::uint64_t offset, std::uint64_t size)
    : Begin(offset / PageSize() * PageSize())
    , Size(RoundUp(offset + size) - Begin)
  {
  }
};

// A file in memory that no folder has. Where there is no such folder, the system's own.
int UnnamedFile()
{
  const int made = open(MemoryFolder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (made >= 0)
  {
    return made;
  }
  const int systems = memfd_create("dsm", MFD_CLOEXEC);
  // The system makes it for everybody.
  if (systems >= 0 && fchmod(systems, S_IRUSR | S_IWUSR) != 0)
  {
    close(systems);
    return -1;
  }
  return systems;
}

std::uint64_t FileNumber(int descriptor)
{
  struct stat state = {};
  return fstat(descriptor, &state) == 0 ? static_cast<std::uint64_t>(state.st_ino) : 0;
}

// The parts of a segment's name.
struct Holder
{
  int Process = 0;
  int Descriptor = -1;
  unsigned long long File = 0;

  explicit Holder(const std::string& name)
  {
    if (std::sscanf(name.c_str(), "%d:%d:%llu", &this->Process, &this->Descriptor, &this->File) !=
      3)
    {
      throw Error(Fault::Refused, "\"{}\" is not the name of a host's shared memory", name);
    }
  }

  std::string Path() const
  {
    return fmt::format("/proc/{}/fd/{}", this->Process, this->Descriptor);
  }
};

std::byte* Map(const std::string& name, int descriptor, std::uint64_t size)
{
  // No reservation: a segment is far larger than what it will ever hold.
  void* memory =
    mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (memory == MAP_FAILED)
  {
    throw Error(Fault::System,
      "cannot map the shared memory {} ({} of address space): {}. If there is a limit on address "
      "space (ulimit -v), raise it, or lower the memory per host",
      name, environment::FormatBytes(size), SystemText(errno));
  }
  return static_cast<std::byte*>(memory);
}
}

Segment Segment::Create(std::uint64_t size)
{
  Segment made;
  made.Descriptor = UnnamedFile();
  if (made.Descriptor < 0)
  {
    throw Error(
      Fault::System, "cannot make shared memory in {}: {}", MemoryFolder, SystemText(errno));
  }
  made.ObjectName = fmt::format("{}:{}:{}", getpid(), made.Descriptor, FileNumber(made.Descriptor));
  const std::uint64_t bytes = PageRange(0, size).Size;
  if (ftruncate(made.Descriptor, static_cast<off_t>(bytes)) != 0)
  {
    throw Error(Fault::System, "cannot size the shared memory to {}: {}",
      environment::FormatBytes(bytes), SystemText(errno));
  }
  made.Memory = Map(made.ObjectName, made.Descriptor, bytes);
  made.Bytes = bytes;
  return made;
}

Segment Segment::Open(const std::string& name, std::uint64_t size)
{
  const Holder holder(name);
  Segment opened;
  opened.ObjectName = name;
  opened.Descriptor = open(holder.Path().c_str(), O_RDWR | O_CLOEXEC);
  if (opened.Descriptor < 0 && (errno == EACCES || errno == EPERM))
  {
    throw Error(Fault::Unsupported,
      "cannot open the shared memory of a host ({}): {}. Only the user who runs the server can",
      holder.Path(), SystemText(errno));
  }
  if (opened.Descriptor < 0)
  {
    throw Error(Fault::NoServer,
      "cannot open the shared memory {} of a host ({}): {}. The server has stopped, or runs in "
      "another container",
      name, holder.Path(), SystemText(errno));
  }
  if (FileNumber(opened.Descriptor) != holder.File)
  {
    throw Error(Fault::NoServer,
      "the shared memory {} of a host is gone: another process has its number now. The server has "
      "stopped",
      name);
  }
  opened.Bytes = PageRange(0, size).Size;
  opened.Memory = Map(name, opened.Descriptor, opened.Bytes);
  return opened;
}

bool Segment::IsHeld(const std::string& name)
{
  const Holder holder(name);
  struct stat state = {};
  return stat(holder.Path().c_str(), &state) == 0 &&
    static_cast<std::uint64_t>(state.st_ino) == holder.File;
}

Segment::Segment(Segment&& other) noexcept
{
  *this = std::move(other);
}

Segment& Segment::operator=(Segment&& other) noexcept
{
  std::swap(this->ObjectName, other.ObjectName);
  std::swap(this->Memory, other.Memory);
  std::swap(this->Bytes, other.Bytes);
  std::swap(this->Descriptor, other.Descriptor);
  return *this;
}

Segment::~Segment()
{
  if (this->Memory)
  {
    munmap(this->Memory, this->Bytes);
  }
  if (this->Descriptor >= 0)
  {
    close(this->Descriptor);
  }
}

void Segment::Reserve(std::uint64_t offset, std::uint64_t size) const
{
  if (size == 0)
  {
    return;
  }
  const PageRange pages(offset, size);
  // The file system's limit may be more than there is: then the kernel would look for a process to
  // kill.
  const std::uint64_t available = AvailableMemory();
  int refusal = pages.Size > available ? ENOMEM : 0;
  if (refusal == 0)
  {
    do
    {
      refusal = fallocate(this->Descriptor, 0, static_cast<off_t>(pages.Begin),
                  static_cast<off_t>(pages.Size)) == 0
        ? 0
        : errno;
    } while (refusal == EINTR);
  }
  if (refusal != 0)
  {
    throw Error(Fault::System,
      "cannot get {} of shared memory on this node ({} of memory are available): {}. Lower the "
      "memory per host, or enlarge {}",
      environment::FormatBytes(size), environment::FormatBytes(available), SystemText(refusal),
      MemoryFolder);
  }
}

void Segment::Populate(std::uint64_t offset, std::uint64_t size) const
{
  this->Reserve(offset, size);
  this->MapExisting(offset, size);
}

void Segment::MapExisting(std::uint64_t offset, std::uint64_t size) const noexcept
{
  const PageRange pages(offset, size);
  // Only a matter of speed: whatever this refuses, the copy's page faults do one by one. As if they
  // were read, since the kernel enters many at once then, and one by one as if they were written;
  // pages of memory that is shared to be written can be written either way.
  madvise(this->Memory + pages.Begin, pages.Size, MADV_POPULATE_READ);
}

void Segment::Zero(std::uint64_t offset, std::uint64_t size) const
{
  std::memset(this->Memory + offset, 0, size);
}

void Segment::Copy(std::uint64_t to, std::uint64_t from, std::uint64_t size) const
{
  this->Populate(to, size);
  std::memcpy(this->Memory + to, this->Memory + from, size);
}

void Segment::Release(std::uint64_t offset, std::uint64_t size) const
{
  const std::uint64_t begin = RoundUp(offset);
  const std::uint64_t end = RoundUp(offset + size);
  if (end > begin &&
    fallocate(this->Descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
      static_cast<off_t>(begin), static_cast<off_t>(end - begin)) != 0)
  {
    throw Error(Fault::System, "cannot give back shared memory of {}: {}", this->ObjectName,
      SystemText(errno));
  }
}

}
