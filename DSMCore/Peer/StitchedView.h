// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace dsm
{

class SnapshotView;

/// A range of a snapshot's file as consecutive, private memory of this process, most of which is
/// not copied: the pages of the hosts' segments are mapped (copy-on-write) in the file's order.
///
///     file, address     0 ....... 1 MiB ... 2 MiB ... 3 MiB ...
///     host, offset      0, 0      1, 0      0, 1 MiB  1, 1 MiB
///     this memory       mapped    mapped    mapped    mapped
///
/// A page is mapped if all of it lies in one run of bytes on a host of this node, at the same place
/// within a page as in the file. Every other page is fetched into memory of this process: a page
/// that several runs share, and what is on other nodes. Memory and file have the same place within
/// a huge page, so the kernel can map huge pages where the segment has the same place, too.
///
/// A write changes this view alone. An unwritten page shows what the host's memory has, so the
/// caller must keep the snapshot in the ring (SnapshotLease) until the view is destroyed or CopyOut
/// has returned: the view itself holds no lease, and needs no SnapshotView after it is made. If the
/// snapshot is evicted earlier, its pages show zeros or another file's bytes.
///
/// Move-only. Several threads may use the memory, also while another one copies it out.
class StitchedView
{
public:
  /// \name Limits of pieces: a piece is a row of pages that is mapped or copied at once
  /// The kernel limits the mappings of a process (65,530 by default). It takes as long to make one
  /// as to copy 32 KiB.
  ///@{
  static constexpr std::uint64_t MostPieces = 4096;
  static constexpr std::uint64_t MostPiecesOfProcess = 32768;
  static constexpr std::uint64_t SmallestPiece = 32768; ///< bytes, on average, if a view suits
  ///@}

  /// Returns why a caller should copy a range rather than make a view of it, as a clause for
  /// people: "it has 8192 pieces". Returns nothing if a view suits it. A view suits no range of
  /// which more than a quarter would be copied, or whose pieces are smaller than SmallestPiece.
  static std::optional<std::string> ReasonToCopy(
    const SnapshotView& snapshot, FileOffset address, std::uint64_t size);

  /// Makes a view of [address, address + size). Throws Error(Unsupported) with the reason if the
  /// range is empty or not in the file, the file is being written, or the view has too many pieces;
  /// MemoryLack if there is no memory for what is copied; Error(System) if the system refuses; and
  /// as SnapshotView::Read if the snapshot was evicted.
  StitchedView(const SnapshotView& snapshot, FileOffset address, std::uint64_t size);

  StitchedView(StitchedView&&) noexcept = default;
  StitchedView& operator=(StitchedView&&) noexcept = default;

  /// Returns the byte at `address`. Behind the range there may be any bytes up to the page's end.
  std::byte* Data() const { return this->Space.get() + this->Begin; }
  std::uint64_t Size() const { return this->Bytes; }

  /// Returns whether Data() is a multiple of `alignment`, up to a page.
  bool IsAligned(std::uint64_t alignment) const
  {
    return reinterpret_cast<std::uintptr_t>(this->Data()) % alignment == 0;
  }

  /// \name For people: the bytes of all pages that this view has
  ///@{
  std::uint64_t Mapped() const { return this->MappedBytes; } ///< the hosts', unless written to
  std::uint64_t Copied() const { return this->CopiedBytes; } ///< this process's
  ///@}

  /// Copies all pages that are still the hosts', each to where it is mapped, so that the snapshot
  /// may be evicted. The bytes are the snapshot's if nobody evicted it before this returns.
  ///
  /// Throws MemoryLack if there is no memory for it, Error(System) if the system refuses. In either
  /// case the view stays valid, and some pages may have been copied.
  void CopyOut();

private:
  // Unmaps the address space.
  struct Unmap
  {
    std::uint64_t Bytes;
    std::uint64_t Pieces;
    void operator()(std::byte* space) const noexcept;
  };

  std::unique_ptr<std::byte, Unmap> Space; ///< whole pages
  std::uint64_t Begin = 0;                 ///< of the range, in its first page
  std::uint64_t Bytes = 0;
  std::uint64_t MappedBytes = 0;
  std::uint64_t CopiedBytes = 0;
};

}
