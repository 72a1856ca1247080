// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/ByteRanges.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dsm
{

/// The bytes of an image on one host that snapshots share, as far as this rank knows.
///
/// A rank asks before it changes one of them. It need not ask for pages that all snapshots have
/// copies of, nor for what lies behind the last flush.
///
/// A page that was changed once is likely to be changed again before the next flush: HDF5's
/// superblock, object headers and indices are. So what is changed is noted, and copied with that
/// flush.
class FrozenBytes
{
public:
  /// A flush shows the first `end` bytes. Of `changing` all snapshots have copies.
  void Freeze(std::uint64_t end, const std::vector<ByteRange>& changing);

  bool IsFrozen(std::uint64_t offset) const { return offset < this->End; }

  /// This rank is about to change bytes. The pages to ask for first; none where it may.
  std::optional<ByteRange> Change(ByteRange bytes);

  /// All snapshots have copies of these pages.
  void Release(ByteRange pages) { this->Free.Add(pages); }

  /// Nobody shares anything any more.
  void ReleaseAll() { *this = FrozenBytes(); }

  /// The pages that this rank has changed since the last flush.
  std::vector<ByteRange> Changed() const { return this->Noted.List(); }

private:
  std::uint64_t End = 0;
  ByteRanges Free;
  ByteRanges Noted;
};

}
