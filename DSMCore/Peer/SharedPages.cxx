// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/SharedPages.h"

#include "Mapping/ByteRanges.h"
#include "Memory/SlotEnding.h"
#include "Protocol/ImageMessages.h"

#include <algorithm>
#include <cstddef>

namespace dsm
{

namespace
{
// A message has 8 MiB at most. Ranges that are left out are asked for when they change again.
constexpr std::size_t MostRanges = 2000;

std::vector<ByteRange> FirstOf(std::vector<ByteRange> ranges)
{
  ranges.resize(std::min(ranges.size(), MostRanges));
  return ranges;
}
}

SharedPages::SharedPages(
  const ImageDescription& image, const ImageSlot& slot, ImageConnection& server)
  : Slot(slot)
  , Server(server)
  , Image(image.Image)
  , Key(image.Key)
  , Generation(image.Generation)
  , Frozen(slot.Hosts())
{
  if (image.Begins > 0)
  {
    this->Freeze(AddressMap(image.Map), image.Begins, Lists(slot.Hosts()));
  }
}

void SharedPages::Keep(HostIndex host, const ByteRange& bytes)
{
  const auto pages = this->Frozen[host].Change(bytes);
  if (!pages)
  {
    return;
  }
  const KeepBytes keep{ this->Image, this->Key, host, *pages };
  if (!this->Server.IsLost() && (this->Server->AskInMemory(keep) || this->Server.Ask(keep)))
  {
    this->Frozen[host].Release(*pages);
    return;
  }
  // Nobody makes copies any more: whoever reads a snapshot shall see that it has changed, and the
  // server, if it comes back, that there will be no other.
  if (const auto number = this->Slot.Number(&SegmentLayout::Endings))
  {
    SlotEnding(*number).GoAlone(this->Generation);
  }
  for (FrozenBytes& frozen : this->Frozen)
  {
    frozen.ReleaseAll();
  }
}

SharedPages::Lists SharedPages::Changed() const
{
  Lists changed;
  for (const FrozenBytes& frozen : this->Frozen)
  {
    changed.push_back(FirstOf(frozen.Changed()));
  }
  return changed;
}

SharedPages::Lists SharedPages::Union(const std::vector<Lists>& ranks)
{
  std::vector<ByteRanges> changed;
  for (const Lists& lists : ranks)
  {
    changed.resize(std::max(changed.size(), lists.size()));
    for (HostIndex host = 0; host < lists.size(); ++host)
    {
      for (const ByteRange& range : lists[host])
      {
        changed[host].Add(range);
      }
    }
  }
  Lists all;
  for (const ByteRanges& ranges : changed)
  {
    all.push_back(FirstOf(ranges.List()));
  }
  return all;
}

void SharedPages::Freeze(const AddressMap& map, std::uint64_t fileSize, const Lists& changing)
{
  for (HostIndex host = 0; host < this->Frozen.size(); ++host)
  {
    this->Frozen[host].Freeze(map.LocalSize(host, fileSize), changing[host]);
  }
}

}
