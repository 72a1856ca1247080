// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/ImageSlot.h"

#include "Base/Error.h"
#include "Base/Timeouts.h"

#include <utility>

namespace dsm
{

ImageSlot::ImageSlot(std::shared_ptr<Transport> route, const ServerDescription& server,
  const ImageDescription& image, std::string fileName)
  : Name(std::move(fileName))
  , Route(std::move(route))
  , Layout(server.SlotSize, server.SlotCount)
  , Slot(image.Slot)
  , SlotBegin(image.Slot * server.SlotSize)
  , HostCount(image.Map.Hosts)
  , Fence(this->Route, server, image.Slot, image.Generation)
  , Patience(PeerTimeout())
{
}

bool ImageSlot::IsMapped() const
{
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    if (!this->Direct(host, 0))
    {
      return false;
    }
  }
  return true;
}

std::optional<SharedNumber> ImageSlot::Number(SlotTable SegmentLayout::* table) const
{
  std::byte* place = this->Route->Shared(0, (this->Layout.*table).OffsetOf(this->Slot));
  return place ? std::optional<SharedNumber>(place) : std::nullopt;
}

void ImageSlot::RequireKept() const
{
  for (HostIndex host = 0; host < this->HostCount; ++host)
  {
    this->RequireKept(host, true);
  }
}

void ImageSlot::ThrowLost() const
{
  throw Error(Fault::PeerLost,
    "{} cannot be written any more: the DSM server had heard nothing from its program for more "
    "than {:.3g} s (DSM_PEER_TIMEOUT), so it gave the file up and its memory to another",
    this->Name, this->Patience.count());
}

}
