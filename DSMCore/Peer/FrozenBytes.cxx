// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/FrozenBytes.h"

#include "Base/RoundUp.h"
#include "Mapping/AsideBytes.h"

#include <algorithm>

namespace dsm
{

void FrozenBytes::Freeze(std::uint64_t end, const std::vector<ByteRange>& changing)
{
  // A file may become shorter; older snapshots share more of it.
  this->End = std::max(this->End, end);
  this->Free = {};
  this->Noted = {};
  for (const ByteRange& range : changing)
  {
    this->Release(range);
  }
}

std::optional<ByteRange> FrozenBytes::Change(ByteRange bytes)
{
  constexpr std::uint64_t page = AsideBytes::Page;
  const std::uint64_t end = std::min(bytes.End, this->End);
  const ByteRange pages{ bytes.Begin / page * page, RoundUp(end, page) };
  this->Noted.Add(pages);
  return this->Free.Missing(pages);
}

}
