// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/Segment.h"

#include "Base/Clock.h"
#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/RoundUp.h"
#include "Base/Threads.h"
#include "Memory/MemoryLack.h"
#include "Memory/MemoryLook.h"
#include "Memory/NodeMemory.h"

#include <fcntl.h>
#include <linux/mman.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#ifndef MADV_POPULATE_READ
#  define MADV_POPULATE_READ 22
#endif
#ifndef MADV_COLLAPSE
#  define MADV_COLLAPSE 25
#endif
#ifndef MADV_POPULATE_WRITE
#  define MADV_POPULATE_WRITE 23
#endif

namespace dsm
{

namespace
{
// The file system that shared memory is taken from: its size is a limit that an administrator sets.
constexpr const char* MemoryFolder = "/dev/shm";

// Making huge pages takes long where it takes so much and so much more for each MiB; then nobody
// waits for any for so long, in this process: what it waits for is the same on the whole node.
constexpr Seconds LongForHuge(0.02);
constexpr Seconds LongForHugeMiB(0.002);
constexpr Seconds WithoutHuge(5);
std::atomic<Clock::time_point> NoHugeBefore = Clock::time_point::min();

// Threads that make memory exist; more do not make it faster.
constexpr unsigned MostTouching = 8;

// The last bytes of a node's or a job's memory are left to the processes there. If a segment took
// them, the kernel would kill the next process that touches a page of its own: this one, perhaps.
constexpr std::uint64_t LeftToProcesses = UINT64_C(8) << 20;

// All segments of this process are of one node.
MemoryLook& NodesMemory()
{
  static MemoryLook look(
    []
    {
      const std::uint64_t available = AvailableMemory();
      return available - std::min(available, LeftToProcesses);
    });
  return look;
}

// The whole pages that hold [offset, offset + size).
struct PageRange
{
  std::uint64_t Begin;
  std::uint64_t Size;

  PageRange(std::uint64_t offset, std::uint64_t size)
    : Begin(offset / Segment::PageSize() * Segment::PageSize())
    , Size(RoundUp(offset + size, Segment::PageSize()) - Begin)
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

// At a multiple of a huge page's size: only so can the page tables have one as a whole.
void* MapAligned(int descriptor, std::uint64_t size)
{
  constexpr std::uint64_t unit = Segment::HugePage;
  void* const space =
    mmap(nullptr, size + unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED)
  {
    return space;
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(space);
  const std::uint64_t before = RoundUp(begin, unit) - begin;
  std::byte* const place = static_cast<std::byte*>(space) + before;
  // No reservation: a segment is far larger than what it will ever hold.
  void* const memory = mmap(
    place, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, descriptor, 0);
  if (memory == MAP_FAILED)
  {
    const int why = errno;
    munmap(space, size + unit);
    errno = why;
    return memory;
  }
  if (before > 0)
  {
    munmap(space, before);
  }
  munmap(place + size, unit - before);
  // In a core dump its holes would become pages: it would have the size of the address space.
  madvise(memory, size, MADV_DONTDUMP);
  return memory;
}

// The system would end the process where it sizes a file beyond that limit.
void RequireFileSize(std::uint64_t bytes)
{
  rlimit limit = {};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes)
  {
    throw Error(Fault::System,
      "cannot make shared memory: files may have {} here (ulimit -f), and it is one of {}, most of "
      "it "
      "holes. Set the limit to unlimited",
      environment::FormatBytes(limit.rlim_cur), environment::FormatBytes(bytes));
  }
}

// Returns what to do if there is too little address space.
std::string AddressSpaceAdvice()
{
  rlimit limit = {};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
    ? fmt::format("Address space is limited to {} (ulimit -v): set the limit to unlimited",
        environment::FormatBytes(limit.rlim_cur))
    : std::string("The program has no limit (ulimit -v). If it runs under a tool that takes most "
                  "of the address space, lower the memory per host (ThreadSanitizer: to 64 MiB); "
                  "valgrind never leaves enough");
}

std::byte* Map(const std::string& name, int descriptor, std::uint64_t size)
{
  void* const memory = MapAligned(descriptor, size);
  if (memory == MAP_FAILED)
  {
    throw Error(Fault::System, "cannot map the shared memory {} ({} of address space): {}. {}",
      name, environment::FormatBytes(size), SystemText(errno), AddressSpaceAdvice());
  }
  return static_cast<std::byte*>(memory);
}
}

std::uint64_t Segment::PageSize()
{
  static const auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::uint64_t Segment::DiskBegin(std::uint64_t size)
{
  return RoundUp(size, HugePage);
}

Segment Segment::Create(std::uint64_t size, std::uint64_t disk)
{
  if (access("/proc/self/fd", X_OK) != 0)
  {
    throw Error(Fault::System,
      "/proc is not mounted here, and peers find a host's memory there: mount it (mount -t proc "
      "proc "
      "/proc)");
  }
  Segment made;
  made.Descriptor = UnnamedFile();
  if (made.Descriptor < 0)
  {
    throw Error(
      Fault::System, "cannot make shared memory in {}: {}", MemoryFolder, SystemText(errno));
  }
  made.ObjectName = fmt::format("{}:{}:{}", getpid(), made.Descriptor, FileNumber(made.Descriptor));
  const std::uint64_t memory = disk > 0 ? DiskBegin(size) : PageRange(0, size).Size;
  const std::uint64_t bytes = memory + disk;
  RequireFileSize(bytes);
  if (ftruncate(made.Descriptor, static_cast<off_t>(bytes)) != 0)
  {
    throw Error(Fault::System, "cannot size the shared memory to {}: {}",
      environment::FormatBytes(bytes), SystemText(errno));
  }
  made.Memory = Map(made.ObjectName, made.Descriptor, bytes);
  made.Bytes = bytes;
  made.MemoryBytes = memory;
  return made;
}

Segment Segment::CreatePinned(std::uint64_t size)
{
  Segment made = Create(size);
  made.TouchAll();
  made.PagesStay = true;
  return made;
}

// By several threads, since it is all that a host lends: one clears a GiB or two in a second.
void Segment::TouchAll() const
{
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t each = RoundUp(this->Bytes / std::min(cores, MostTouching) + 1, PageSize());
  std::atomic<bool> done = this->Bytes <= AvailableMemory();
  if (done)
  {
    const SignalsBlocked quiet;
    std::vector<std::thread> threads;
    for (std::uint64_t begin = 0; begin < this->Bytes; begin += each)
    {
      threads.emplace_back(
        [&, begin]
        {
          const std::uint64_t size = std::min(each, this->Bytes - begin);
          if (madvise(this->Memory + begin, size, MADV_POPULATE_WRITE) != 0)
          {
            done = false;
          }
        });
    }
    for (std::thread& thread : threads)
    {
      thread.join();
    }
  }
  if (!done)
  {
    // An older system does not know how, or there is no memory, which is said here.
    this->Populate(0, this->Bytes);
  }
}

Segment Segment::Open(const std::string& name, std::uint64_t size, std::uint64_t disk)
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
  opened.MemoryBytes = disk > 0 ? DiskBegin(size) : PageRange(0, size).Size;
  opened.Bytes = opened.MemoryBytes + disk;
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
  std::swap(this->MemoryBytes, other.MemoryBytes);
  std::swap(this->Disk, other.Disk);
  std::swap(this->Descriptor, other.Descriptor);
  std::swap(this->PagesStay, other.PagesStay);
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

int Segment::MakeDisk(const std::string& folder)
{
  if (!this->Disk)
  {
    this->Disk =
      std::make_unique<DiskFile>(DiskFile::Create(folder, this->Bytes - this->MemoryBytes));
    this->MapDisk();
  }
  return this->Disk->Descriptor();
}

void Segment::FollowDisk(int descriptor)
{
  if (!this->Disk)
  {
    const Holder holder(this->ObjectName);
    this->Disk = std::make_unique<DiskFile>(
      DiskFile::Open(fmt::format("/proc/{}/fd/{}", holder.Process, descriptor)));
    this->MapDisk();
  }
}

// In place of the memory that was mapped there, which nobody has touched.
void Segment::MapDisk()
{
  void* const mapped = mmap(this->Memory + this->MemoryBytes, this->Bytes - this->MemoryBytes,
    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, this->Disk->Descriptor(), 0);
  if (mapped == MAP_FAILED)
  {
    const int why = errno;
    this->Disk.reset();
    throw Error(Fault::System, "cannot map what does not fit memory: {}", SystemText(why));
  }
  madvise(mapped, this->Bytes - this->MemoryBytes, MADV_DONTDUMP);
}

void Segment::LetGo(std::uint64_t offset, std::uint64_t size, bool here) const noexcept
{
  const PageRange pages(offset, size);
  madvise(this->Memory + pages.Begin, pages.Size, MADV_DONTNEED);
  if (!here)
  {
    this->Disk->LetGo(pages.Begin - this->MemoryBytes, pages.Size);
  }
}

void Segment::BeginWriting(std::uint64_t offset, std::uint64_t size) const noexcept
{
  this->Disk->BeginWriting(offset - this->MemoryBytes, size);
}

// Whether there is no page in a range.
bool Segment::IsHole(std::uint64_t offset, std::uint64_t size) const
{
#ifdef SYS_cachestat // Linux 6.5
  cachestat_range range = { offset, size };
  cachestat pages = {};
  if (syscall(SYS_cachestat, this->Descriptor, &range, &pages, 0U) == 0)
  {
    return pages.nr_cache + pages.nr_evicted == 0;
  }
#endif
  // Those that were reserved and never touched are not seen so.
  const off_t data = lseek(this->Descriptor, static_cast<off_t>(offset), SEEK_DATA);
  return data < 0 ? errno == ENXIO : static_cast<std::uint64_t>(data) >= offset + size;
}

// Puts huge pages where a range has room for whole ones and holds nothing. For a file in memory the
// kernel makes one at once only where an administrator has allowed it (shmem_enabled), but it
// always replaces small pages by one when it is asked to, so one small page comes first. Whatever
// that refuses, the caller gets in small pages. Returns where they were put.
std::vector<Segment::Range> Segment::MakeHugePages(std::uint64_t offset, std::uint64_t size) const
{
  std::vector<Range> made;
  const std::uint64_t end = (offset + size) / HugePage * HugePage;
  for (std::uint64_t unit = RoundUp(offset, HugePage); unit < end; unit += HugePage)
  {
    if (!this->IsHole(unit, HugePage) ||
      fallocate(this->Descriptor, 0, static_cast<off_t>(unit), static_cast<off_t>(PageSize())) != 0)
    {
      continue;
    }
    if (!made.empty() && made.back().Begin + made.back().Size == unit)
    {
      made.back().Size += HugePage;
    }
    else
    {
      made.push_back({ unit, HugePage });
    }
  }
  for (const Range& range : made)
  {
    // As much as possible at once: each call waits until all processors have done something for it
    // (lru_add_drain_all), which takes a while where they are busy.
    const auto begin = Clock::now();
    const bool isMade = madvise(this->Memory + range.Begin, range.Size, MADV_COLLAPSE) == 0;
    const auto end = Clock::now();
    if (end - begin > LongForHuge + LongForHugeMiB * (range.Size >> 20))
    {
      NoHugeBefore = end + std::chrono::duration_cast<Clock::duration>(WithoutHuge);
    }
    if (!isMade)
    {
      break; // the kernel cannot, or has none left
    }
  }
  return made;
}

void Segment::Reserve(std::uint64_t offset, std::uint64_t size, Pages kind) const
{
  if (size == 0 || this->PagesStay)
  {
    return;
  }
  const PageRange pages(offset, size);
  if (this->IsOnDisk(offset))
  {
    this->Disk->Reserve(pages.Begin - this->MemoryBytes, pages.Size);
    return;
  }
  // The file system's limit may be more than there is: then the kernel would look for a process to
  // kill.
  const bool isThere = NodesMemory().Take(pages.Size);
  const std::uint64_t seen = NodesMemory().Seen();
  int refusal = isThere ? 0 : ENOMEM;
  if (refusal == 0)
  {
    const bool mayBeHuge =
      kind == Pages::HugeToo || (kind == Pages::HugeIfQuick && Clock::now() >= NoHugeBefore.load());
    const auto huge =
      mayBeHuge ? this->MakeHugePages(pages.Begin, pages.Size) : std::vector<Range>();
    do
    {
      refusal = fallocate(this->Descriptor, 0, static_cast<off_t>(pages.Begin),
                  static_cast<off_t>(pages.Size)) == 0
        ? 0
        : errno;
    } while (refusal == EINTR);
    if (refusal != 0)
    {
      for (const Range& range : huge)
      {
        this->Release(range.Begin, range.Size);
      }
    }
  }
  if (refusal != 0)
  {
    const std::uint64_t usable = isThere ? 0 : std::min(seen, pages.Size - PageSize());
    throw MemoryLack(pages.Size - usable / PageSize() * PageSize(),
      fmt::format("cannot get {} of shared memory on this node ({} of memory are available, and {} "
                  "more are left to its processes): {}. Lower the memory per host, or enlarge {}",
        environment::FormatBytes(size), environment::FormatBytes(seen),
        environment::FormatBytes(LeftToProcesses), SystemText(refusal), MemoryFolder));
  }
}

void Segment::Populate(std::uint64_t offset, std::uint64_t size) const
{
  this->Reserve(offset, size);
  this->MapExisting(offset, size);
}

bool Segment::IsUntouched(std::uint64_t offset) const noexcept
{
  unsigned char isThere = 0;
  return !this->IsOnDisk(offset) &&
    mincore(this->Memory + PageRange(offset, 1).Begin, PageSize(), &isThere) == 0 && isThere == 0;
}

void Segment::MapExisting(std::uint64_t offset, std::uint64_t size) const noexcept
{
  const PageRange pages(offset, size);
  // Only a matter of speed: whatever this refuses, the copy's page faults do one by one. As if they
  // were read, since the kernel enters many at once then, and one by one as if they were written;
  // pages of memory that is shared to be written can be written either way. But where nobody has
  // touched them there are none to enter with the one that is cleared, and to look for them takes
  // as long again. Those of a file on disk are made ready to be written one by one otherwise.
  const bool oneByOne = this->IsOnDisk(offset) || this->IsUntouched(offset);
  madvise(
    this->Memory + pages.Begin, pages.Size, oneByOne ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
}

void Segment::MapPrivate(std::byte* place, std::uint64_t offset, std::uint64_t size) const
{
  const bool onDisk = this->IsOnDisk(offset);
  const int descriptor = onDisk ? this->Disk->Descriptor() : this->Descriptor;
  const std::uint64_t begin = onDisk ? offset - this->MemoryBytes : offset;
  // No reservation: the process rarely writes to more than a few of these pages.
  void* const mapped = mmap(place, size, PROT_READ | PROT_WRITE,
    MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, descriptor, static_cast<off_t>(begin));
  if (mapped == MAP_FAILED)
  {
    throw Error(Fault::System, "cannot map {} of the shared memory {} privately: {}",
      environment::FormatBytes(size), this->ObjectName, SystemText(errno));
  }
  madvise(mapped, size, MADV_DONTDUMP);
}

void Segment::Zero(std::uint64_t offset, std::uint64_t size) const
{
  std::memset(this->Memory + offset, 0, size);
}

void Segment::Copy(std::uint64_t to, std::uint64_t from, std::uint64_t size) const
{
  this->MapExisting(to, size);
  std::memcpy(this->Memory + to, this->Memory + from, size);
}

void Segment::Release(std::uint64_t offset, std::uint64_t size) const
{
  if (this->PagesStay)
  {
    throw Error(
      Fault::Refused, "pages of {} must not be given back: a network holds them", this->ObjectName);
  }
  const std::uint64_t begin = RoundUp(offset, PageSize());
  const std::uint64_t end = RoundUp(offset + size, PageSize());
  if (this->IsOnDisk(offset))
  {
    this->Zero(offset, std::min(begin - offset, size));
    this->Disk->Release(begin - this->MemoryBytes, std::max(end, begin) - begin);
    return;
  }
  if (end > begin &&
    fallocate(this->Descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
      static_cast<off_t>(begin), static_cast<off_t>(end - begin)) != 0)
  {
    throw Error(Fault::System, "cannot give back shared memory of {}: {}", this->ObjectName,
      SystemText(errno));
  }
}

}
