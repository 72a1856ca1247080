// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/ByteRange.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dsm
{

/// Bytes of one place in memory that were copied to another, one behind the other as they came: of
/// a snapshot that shares a host's memory with the image it was taken from, what that has changed
/// since, or was going to change. The same idea as the page table of a process that was forked.
class AsideBytes
{
public:
  /// What is put aside together: as large as the system's pages, which hosts reserve.
  static constexpr std::uint64_t Page = 4096;

  /// Bytes that are at `To` now.
  struct Moved
  {
    std::uint64_t From = 0;
    std::uint64_t To = 0;
    std::uint64_t Size = 0;

    bool operator==(const Moved&) const = default;
  };

  /// In the order of what they were, apart from each other. Throws Error(Refused) otherwise.
  static AsideBytes FromList(std::vector<Moved> list);

  /// Puts the pages of a range aside that are not yet, but none outside of `within`; returns them.
  /// Where there are many small pieces already, more of what is around the range goes with it, so
  /// that the list stays short.
  std::vector<Moved> Add(ByteRange range, ByteRange within);
  std::vector<Moved> Add(ByteRange range, std::uint64_t end)
  {
    return this->Add(range, ByteRange{ 0, end });
  }

  /// Whether all of a range is aside.
  bool Has(ByteRange range) const;

  /// How many there are.
  std::uint64_t Size() const { return this->Taken; }

  const std::vector<Moved>& List() const { return this->All; }

  /// Calls visit(aside, offset, position, length) for each run of [offset, offset + size) that is
  /// all aside or not: with the offset where it is now, and `position` counted from `offset`.
  template <typename Visitor>
  void ForEachRun(std::uint64_t offset, std::uint64_t size, Visitor&& visit) const
  {
    for (std::uint64_t done = 0; done < size;)
    {
      const Run run = this->At(offset + done);
      const std::uint64_t length = std::min(run.Size, size - done);
      visit(run.IsAside, run.Offset, done, length);
      done += length;
    }
  }

  /// Where a byte is now, and how many follow it there.
  struct Run
  {
    bool IsAside = false;
    std::uint64_t Offset = 0;
    std::uint64_t Size = 0;
  };
  Run At(std::uint64_t offset) const;

  bool operator==(const AsideBytes&) const = default;

private:
  std::vector<Moved> All;
  std::uint64_t Taken = 0;
};

}
