// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/DiskFile.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dsm
{

/// The memory one host lends: shared memory without a name in the file system, which processes of
/// the same user on the same node map. It goes with the last process that maps it, whatever ends
/// them, and nobody can guess or take a name before.
///
/// Its size is address space, not memory: pages exist once somebody reserves or touches them, read
/// as zero until written, and go back with Release. Who touches a page that does not exist while
/// there is no memory is killed (SIGBUS), so hosts reserve what they grant.
///
/// It has huge pages wherever a range that is reserved has room for whole ones and the kernel gives
/// them (Linux 6.1 and later): to make one exist takes a tenth of the time that as many small pages
/// take, and each process enters one at a time into its page tables instead of 512.
///
/// Its end may be none of memory: from DiskBegin on it is for what has no room in memory, and a
/// file on disk stands behind it (DiskFile) once its maker says so (MakeDisk), and others have
/// followed (FollowDisk). Before, nobody may touch it.
///
/// Move-only. Distinct ranges may be used from several threads.
class Segment
{
public:
  /// Bytes. What begins at a multiple of this can have the most of them.
  static constexpr std::uint64_t HugePage = UINT64_C(2) << 20;

  /// Bytes of the pages that it consists of otherwise.
  static std::uint64_t PageSize();

  Segment() = default;

  /// Makes one of `size` bytes (rounded up to pages), for this user only, and `disk` bytes behind
  /// them that may be on disk. Throws Error(System) when the system refuses.
  static Segment Create(std::uint64_t size, std::uint64_t disk = 0);

  /// The same with all pages, which stay as long as it is there: for networks that remember each
  /// page's place in the machine. Throws Error(System) when there is not enough memory.
  static Segment CreatePinned(std::uint64_t size);

  /// Maps one that a process of this node has, by the name it has there. Throws Error(NoServer)
  /// when that process is gone.
  static Segment Open(const std::string& name, std::uint64_t size, std::uint64_t disk = 0);

  /// Whether the process that made one still has it.
  static bool IsHeld(const std::string& name);

  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();

  std::byte* Data() const { return this->Memory; }
  std::uint64_t Size() const { return this->Bytes; }

  /// \name What has no room in memory
  ///@{
  /// Where it begins: a multiple of a huge page behind `size` bytes of memory.
  static std::uint64_t DiskBegin(std::uint64_t size);

  /// In the process that made it, from one thread: makes the file in that folder, if there is none
  /// yet, and returns its descriptor. Throws as DiskFile::Create does.
  int MakeDisk(const std::string& folder);

  /// In others: maps the file that the maker has by that descriptor. Throws Error(NoServer) when it
  /// is gone.
  void FollowDisk(int descriptor);

  bool HasDisk() const { return this->Disk != nullptr; }

  /// Lets a range leave this process's page tables, and as far as no other has it in theirs,
  /// memory: once it is on disk, for which this waits. For this process only with `here`. Never
  /// throws.
  void LetGo(std::uint64_t offset, std::uint64_t size, bool here = false) const noexcept;

  /// Begins to write a range to disk. Never throws.
  void BeginWriting(std::uint64_t offset, std::uint64_t size) const noexcept;
  ///@}

  /// By which processes of this node open it, as long as the process that made it lives: that
  /// process, its file descriptor, and the file's number, "1234:7:42".
  const std::string& Name() const { return this->ObjectName; }

  /// Small ones exist at once. To make huge ones, the kernel first waits until every processor has
  /// done something for it, one caller after the other: seconds, where they are busy.
  enum class Pages
  {
    Small,
    HugeIfQuick, ///< as HugeToo, but small ones for some seconds after that has taken long
    HugeToo      ///< huge ones where a range has room for whole ones
  };

  /// Makes pages exist, without touching them: whoever does later meets no lack of memory, or of
  /// room on the disk. Throws MemoryLack when there is not enough memory, Error(System) when the
  /// disk has no room.
  void Reserve(std::uint64_t offset, std::uint64_t size, Pages pages = Pages::HugeToo) const;

  /// Makes pages exist, and this process's page tables know them, so that a copy into them runs at
  /// full speed. Contents stay. Throws as Reserve does.
  void Populate(std::uint64_t offset, std::uint64_t size) const;

  /// Whether nobody has touched the page at that offset yet: the kernel clears it when somebody
  /// does. Never of what may be on disk.
  bool IsUntouched(std::uint64_t offset) const noexcept;

  /// Enters pages that were reserved into this process's page tables for reading and writing. Never
  /// throws.
  void MapExisting(std::uint64_t offset, std::uint64_t size) const noexcept;

  /// Maps a range at `place` as well, copy-on-write: a page that the process writes there becomes
  /// its own, and the segment does not change. An unwritten page shows what the segment has now. To
  /// read an unwritten page that was released makes the page exist again.
  ///
  /// Replaces the mapping at `place`, whose owner unmaps this one. `place`, `offset` and `size`
  /// must be multiples of PageSize. If the range is on disk, all of it must be, and HasDisk must
  /// return true. Throws Error(System) if the system refuses.
  void MapPrivate(std::byte* place, std::uint64_t offset, std::uint64_t size) const;

  /// Writes zeros; pages stay.
  void Zero(std::uint64_t offset, std::uint64_t size) const;

  /// Copies within the segment, onto pages that were reserved.
  void Copy(std::uint64_t to, std::uint64_t from, std::uint64_t size) const;

  /// Gives the pages that begin in this range back to the system; they read as zero afterwards. On
  /// disk, what else is in the range reads as zero, too. Throws Error(Refused) when they are to
  /// stay.
  void Release(std::uint64_t offset, std::uint64_t size) const;

private:
  struct Range
  {
    std::uint64_t Begin = 0;
    std::uint64_t Size = 0;
  };

  bool IsHole(std::uint64_t offset, std::uint64_t size) const;
  std::vector<Range> MakeHugePages(std::uint64_t offset, std::uint64_t size) const;
  void TouchAll() const;
  bool IsOnDisk(std::uint64_t offset) const { return offset >= this->MemoryBytes; }
  void MapDisk();

  std::string ObjectName;
  std::byte* Memory = nullptr;
  std::uint64_t Bytes = 0;
  std::uint64_t MemoryBytes = 0; ///< what lies behind may be on disk
  std::unique_ptr<DiskFile> Disk;
  int Descriptor = -1;
  bool PagesStay = false;
};

}
