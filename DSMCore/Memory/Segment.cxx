// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/Segment.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/Log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#ifndef MADV_POPULATE_WRITE
#  define MADV_POPULATE_WRITE 23
#endif

namespace dsm
{

namespace
{
// Where Linux shows POSIX shared-memory objects as files.
constexpr const char* ObjectFolder = "/dev/shm";

std::uint64_t PageSize()
{
  static const auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

// The whole pages that hold [offset, offset + size).
struct PageRange
{
  std::uint64_t Begin;
  std::uint64_t Size;

  PageRange(std::uint64_t offset, std::uint64_t size)
    : Begin(offset / PageSize() * PageSize())
    , Size((offset + size + PageSize() - 1) / PageSize() * PageSize() - Begin)
  {
  }
};

std::string NamePrefix()
{
  return fmt::format("dsm.{}.", getuid());
}

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

std::string Segment::UniqueName()
{
  static std::atomic<unsigned> counter{ 0 };
  return fmt::format("/{}{}.{}", NamePrefix(), getpid(), counter++);
}

Segment Segment::Create(const std::string& name, std::uint64_t size)
{
  Segment made;
  made.Descriptor = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made.Descriptor < 0)
  {
    throw Error(Fault::System, "cannot make the shared memory {}: {}", name, SystemText(errno));
  }
  made.Owner = getpid();
  made.ObjectName = name;
  // The lock says that the owner lives; the system drops it with the process, however it ends.
  if (flock(made.Descriptor, LOCK_EX | LOCK_NB) != 0)
  {
    throw Error(Fault::System, "cannot lock the shared memory {}: {}", name, SystemText(errno));
  }
  const std::uint64_t bytes = PageRange(0, size).Size;
  if (ftruncate(made.Descriptor, static_cast<off_t>(bytes)) != 0)
  {
    throw Error(Fault::System, "cannot size the shared memory {} to {}: {}", name,
      environment::FormatBytes(bytes), SystemText(errno));
  }
  made.Memory = Map(name, made.Descriptor, bytes);
  made.Bytes = bytes;
  return made;
}

Segment Segment::Open(const std::string& name, std::uint64_t size)
{
  Segment opened;
  opened.ObjectName = name;
  opened.Descriptor = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0600);
  if (opened.Descriptor < 0)
  {
    throw Error(Fault::NoServer,
      "cannot open the shared memory {} of a host: {}. The server has stopped, or runs as another "
      "user or in another container",
      name, SystemText(errno));
  }
  opened.Bytes = PageRange(0, size).Size;
  opened.Memory = Map(name, opened.Descriptor, opened.Bytes);
  return opened;
}

int Segment::RemoveStale()
{
  int removed = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(ObjectFolder, ignored))
  {
    const std::string name = entry.path().filename().string();
    if (name.rfind(NamePrefix(), 0) != 0)
    {
      continue;
    }
    const int descriptor = shm_open(("/" + name).c_str(), O_RDWR | O_CLOEXEC, 0600);
    if (descriptor < 0)
    {
      continue;
    }
    struct stat state = {};
    // A segment of size zero is just being made, between its creation and its lock.
    const bool made = fstat(descriptor, &state) == 0 && state.st_size > 0;
    if (made && flock(descriptor, LOCK_EX | LOCK_NB) == 0 && shm_unlink(("/" + name).c_str()) == 0)
    {
      Log().info("removed the shared memory /{} of a server that is gone", name);
      ++removed;
    }
    close(descriptor);
  }
  return removed;
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
  std::swap(this->Owner, other.Owner);
  return *this;
}

Segment::~Segment()
{
  if (this->Memory)
  {
    munmap(this->Memory, this->Bytes);
  }
  if (this->Owner == getpid())
  {
    shm_unlink(this->ObjectName.c_str());
  }
  if (this->Descriptor >= 0)
  {
    close(this->Descriptor);
  }
}

void Segment::Populate(std::uint64_t offset, std::uint64_t size) const
{
  if (size == 0)
  {
    return;
  }
  const PageRange pages(offset, size);
  if (madvise(this->Memory + pages.Begin, pages.Size, MADV_POPULATE_WRITE) == 0)
  {
    return;
  }
  // Kernels before 5.14 do not know the advice: allocating the range is the next best.
  if (errno == EINVAL &&
    fallocate(
      this->Descriptor, 0, static_cast<off_t>(pages.Begin), static_cast<off_t>(pages.Size)) == 0)
  {
    return;
  }
  throw Error(Fault::System,
    "cannot get {} of shared memory on this node: {}. Lower the memory per host, or enlarge {}",
    environment::FormatBytes(size), SystemText(errno), ObjectFolder);
}

void Segment::MapExisting(std::uint64_t offset, std::uint64_t size) const noexcept
{
  const PageRange pages(offset, size);
  // Only a matter of speed: whatever this refuses, the copy's page faults do one by one.
  madvise(this->Memory + pages.Begin, pages.Size, MADV_POPULATE_WRITE);
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
  if (size == 0)
  {
    return;
  }
  const PageRange pages(offset, size);
  if (fallocate(this->Descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
        static_cast<off_t>(pages.Begin), static_cast<off_t>(pages.Size)) != 0)
  {
    throw Error(Fault::System, "cannot give back shared memory of {}: {}", this->ObjectName,
      SystemText(errno));
  }
}

}
