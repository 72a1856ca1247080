// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/StitchedView.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/Pieces.h"
#include "Base/RoundUp.h"
#include "Memory/MemoryLack.h"
#include "Memory/MemoryLook.h"
#include "Memory/NodeMemory.h"
#include "Memory/Segment.h"
#include "Peer/SnapshotView.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <vector>

#ifndef MADV_POPULATE_WRITE
#  define MADV_POPULATE_WRITE 23
#endif

namespace dsm
{

namespace
{
// At most this part of a range is copied if a view suits it: one of so many parts.
constexpr std::uint64_t MostCopied = 4;

// The pieces of all views of this process.
std::atomic<std::uint64_t> PiecesOfProcess = 0;

// Bytes that are consecutive in the file and in a host's segment. `Position` counts from the
// beginning of a plan.
struct Run
{
  HostIndex Host = 0;
  std::uint64_t Offset = 0;
  std::uint64_t Position = 0;
  std::uint64_t Size = 0;
};

// The whole pages of a file that hold a range, and which of them can be mapped.
struct PagePlan
{
  PagePlan(const SnapshotView& snapshot, FileOffset address, std::uint64_t size)
    : Begin(address / Segment::PageSize() * Segment::PageSize())
  {
    const std::uint64_t end = RoundUp(address + size, Segment::PageSize());
    this->InFile = std::min<std::uint64_t>(end, snapshot.Description().FileSize) - this->Begin;
    this->Size = end - this->Begin;
    Run run;
    snapshot.ForEachRun(this->Begin, this->InFile,
      [&](HostIndex host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
      {
        if (run.Size > 0 && run.Host == host && run.Offset + run.Size == offset)
        {
          run.Size += length;
          return;
        }
        this->Add(snapshot, run);
        run = { host, offset, position, length };
      });
    // The page that holds the file's last byte is a whole page of the segment as well.
    run.Size = this->Size - run.Position;
    this->Add(snapshot, run);
  }

  // Calls visit(position, size) for each row of pages that has to be copied.
  template <typename Visitor>
  void ForEachCopy(const Visitor& visit) const
  {
    std::uint64_t position = 0;
    for (const Run& run : this->Mapped)
    {
      if (run.Position > position)
      {
        visit(position, run.Position - position);
      }
      position = run.Position + run.Size;
    }
    if (position < this->Size)
    {
      visit(position, this->Size - position);
    }
  }

  std::uint64_t Pieces() const
  {
    std::uint64_t pieces = this->Mapped.size();
    this->ForEachCopy([&](std::uint64_t, std::uint64_t) { ++pieces; });
    return pieces;
  }

  FileOffset Begin;                 ///< of the first page
  std::uint64_t InFile = 0;         ///< bytes of the pages up to the file's end
  std::uint64_t Size = 0;           ///< of the pages
  std::vector<Run> Mapped;          ///< whole pages, in the file's order
  std::uint64_t MappedBytes = 0;    ///< of these
  std::uint64_t ElsewhereBytes = 0; ///< on hosts that this process does not map

private:
  // Takes the pages that lie wholly in a run.
  void Add(const SnapshotView& snapshot, Run run)
  {
    const std::uint64_t page = Segment::PageSize();
    const std::uint64_t begin = RoundUp(run.Position, page);
    const std::uint64_t end = (run.Position + run.Size) / page * page;
    if (!snapshot.IsMapped(run.Host))
    {
      this->ElsewhereBytes += run.Size;
    }
    else if (begin < end && run.Offset % page == run.Position % page)
    {
      this->Mapped.push_back({ run.Host, run.Offset + (begin - run.Position), begin, end - begin });
      this->MappedBytes += end - begin;
    }
  }
};

// Returns why nothing of a range can be mapped; empty: some of it may be.
std::string Obstacle(const SnapshotView& snapshot, FileOffset address, std::uint64_t size)
{
  const std::uint64_t fileSize = snapshot.Description().FileSize;
  if (size == 0)
  {
    return "it is empty";
  }
  if (address > fileSize || size > fileSize - address)
  {
    return "it ends behind its file's end";
  }
  return snapshot.IsInPlace() ? "" : "its file is being written";
}

std::string TooManyPieces(std::uint64_t pieces, std::uint64_t most)
{
  if (pieces > most)
  {
    return fmt::format("it has {} pieces", pieces);
  }
  return PiecesOfProcess + pieces > StitchedView::MostPiecesOfProcess
    ? "this process has mapped too many pieces"
    : "";
}

void Require(const std::string& obstacle)
{
  if (!obstacle.empty())
  {
    throw Error(
      Fault::Unsupported, "cannot map a part of a snapshot: {}. Copy it instead", obstacle);
  }
}

// The kernel ends a process that uses memory which the kernel promised and does not have.
void RequireMemory(std::uint64_t bytes)
{
  static MemoryLook look([] { return AvailableMemory(); });
  if (bytes > 0 && !look.Take(bytes))
  {
    const std::uint64_t seen = std::min(look.Seen(), bytes - 1);
    throw MemoryLack(bytes - seen,
      fmt::format("cannot copy {} of a snapshot: {} of memory are available. Use more ranks, or "
                  "show less of it",
        environment::FormatBytes(bytes), environment::FormatBytes(seen)));
  }
}

[[noreturn]] void ThrowSystem(const char* what, std::uint64_t bytes)
{
  const int why = errno;
  throw Error(
    Fault::System, "cannot {} {}: {}", what, environment::FormatBytes(bytes), SystemText(why));
}

// Returns address space with the place within a huge page that the file has.
std::byte* ReserveSpace(FileOffset begin, std::uint64_t size)
{
  constexpr std::uint64_t unit = Segment::HugePage;
  void* const space =
    mmap(nullptr, size + unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED)
  {
    ThrowSystem("reserve address space for", size);
  }
  const auto from = reinterpret_cast<std::uintptr_t>(space);
  const std::uint64_t before = (begin % unit + unit - from % unit) % unit;
  std::byte* const place = static_cast<std::byte*>(space) + before;
  if (before > 0)
  {
    munmap(space, before);
  }
  munmap(place + size, unit - before);
  return place;
}

// Makes each page this process's own without changing a byte, also while others write to them. The
// exchange is a write to the kernel even though it stores what is there. Compilers may replace
// other such operations, as adding 0, by a load.
void TouchPages(std::byte* place, std::uint64_t size)
{
  for (std::uint64_t at = 0; at < size; at += Segment::PageSize())
  {
    auto* const byte = reinterpret_cast<volatile unsigned char*>(place + at);
    unsigned char found = *byte;
    // If another thread has changed the byte meanwhile, the page is this process's already.
    __atomic_compare_exchange_n(byte, &found, found, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
}
}

void StitchedView::Unmap::operator()(std::byte* space) const noexcept
{
  munmap(space, this->Bytes);
  PiecesOfProcess -= this->Pieces;
}

std::optional<std::string> StitchedView::ReasonToCopy(
  const SnapshotView& snapshot, FileOffset address, std::uint64_t size)
{
  std::string reason = Obstacle(snapshot, address, size);
  if (reason.empty())
  {
    const PagePlan plan(snapshot, address, size);
    const std::uint64_t most = plan.Size / MostCopied;
    if (plan.ElsewhereBytes > most)
    {
      reason = "this process does not reach its hosts through shared memory";
    }
    else if (plan.Size - plan.MappedBytes > most)
    {
      reason = "its bytes are not aligned to pages";
    }
    else
    {
      reason = TooManyPieces(plan.Pieces(), std::min(MostPieces, plan.Size / SmallestPiece + 1));
    }
  }
  return reason.empty() ? std::nullopt : std::optional(std::move(reason));
}

StitchedView::StitchedView(const SnapshotView& snapshot, FileOffset address, std::uint64_t size)
  : Bytes(size)
{
  Require(Obstacle(snapshot, address, size));
  const PagePlan plan(snapshot, address, size);
  const std::uint64_t pieces = plan.Pieces();
  Require(TooManyPieces(pieces, MostPieces));
  std::byte* const space = ReserveSpace(plan.Begin, plan.Size);
  PiecesOfProcess += pieces;
  this->Space = { space, Unmap{ plan.Size, pieces } };
  this->Begin = address - plan.Begin;

  std::vector<GetPiece> gets;
  const auto copy = [&](std::uint64_t position, std::uint64_t bytes)
  {
    if (mprotect(space + position, bytes, PROT_READ | PROT_WRITE) != 0)
    {
      ThrowSystem("get memory for", bytes);
    }
    this->CopiedBytes += bytes;
    gets.push_back(
      { plan.Begin + position, space + position, std::min(bytes, plan.InFile - position) });
  };
  RequireMemory(plan.Size - plan.MappedBytes);
  plan.ForEachCopy(copy);
  for (const Run& run : plan.Mapped)
  {
    if (snapshot.MapPrivate(run.Host, run.Offset, space + run.Position, run.Size))
    {
      this->MappedBytes += run.Size;
    }
    else
    {
      RequireMemory(run.Size);
      copy(run.Position, run.Size);
    }
  }
  snapshot.ReadPieces(gets, true);
  snapshot.RequireHeld();
  // To read bytes that have moved, the snapshot asks where they are. The mapped pages stay behind.
  Require(Obstacle(snapshot, address, size));
}

void StitchedView::CopyOut()
{
  RequireMemory(this->MappedBytes);
  std::byte* const space = this->Space.get();
  const std::uint64_t bytes = this->Space.get_deleter().Bytes;
  if (madvise(space, bytes, MADV_POPULATE_WRITE) != 0)
  {
    // The kernel has known how to since Linux 5.14.
    if (errno != EINVAL)
    {
      ThrowSystem("copy", this->MappedBytes);
    }
    TouchPages(space, bytes);
  }
  this->CopiedBytes += this->MappedBytes;
  this->MappedBytes = 0;
}

}
