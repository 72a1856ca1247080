// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/LiveImage.h"

#include "Base/Error.h"

#include <algorithm>
#include <cstddef>

namespace dsm
{

std::unique_ptr<LiveImage> LiveImage::Open(const std::shared_ptr<Connection>& connection,
  const std::string& fileName, const SlotAddress& place)
{
  const auto server = connection->Server();
  if (!place.IsOf(*server))
  {
    return nullptr;
  }
  SnapshotDescription image;
  image.FileName = fileName;
  image.FileSize = AddressMap(place.Map).Capacity();
  image.Slot = place.Slot;
  image.Generation = place.Generation;
  image.Map = place.Map;
  auto view = std::make_unique<SnapshotView>(connection, image);
  view->IsMapped(); // opens the way to the hosts
  try
  {
    view->RequireHeld();
  }
  catch (const Error& error)
  {
    if (error.GetFault() != Fault::PeerLost)
    {
      throw;
    }
    return nullptr;
  }
  return std::unique_ptr<LiveImage>(new LiveImage(
    std::move(view), SharedGrants(connection->Data(), *server, place.Slot, place.Generation)));
}

void LiveImage::Read(FileOffset address, void* destination, std::uint64_t size) const
{
  if (address + size > this->Known)
  {
    this->Known = this->Size();
  }
  const std::uint64_t inside = address < this->Known ? std::min(size, this->Known - address) : 0;
  if (inside > 0)
  {
    try
    {
      this->View->Read(address, destination, inside);
    }
    catch (const Error&)
    {
      throw Error(Fault::PeerLost,
        "{} has left the DSM server's memory while it was being read: its writer has ended, and "
        "another file needed the memory. Open it again",
        this->FileName());
    }
  }
  auto* const bytes = static_cast<std::byte*>(destination);
  std::fill(bytes + inside, bytes + size, std::byte(0));
}

}
