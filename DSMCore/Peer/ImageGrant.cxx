// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/ImageGrant.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Control/Presence.h"
#include "Protocol/ImageMessages.h"

#include <algorithm>

#include <fmt/format.h>

namespace dsm
{

namespace
{
// By how much a growing image without a server grows at least.
constexpr std::uint64_t GrowthStep = UINT64_C(16) << 20;
}

ImageGrant::ImageGrant(
  const ImageDescription& image, const ImageSlot& slot, ImageConnection& server, int rank)
  : Slot(slot)
  , Server(server)
  , Shared(slot.GetRoute(), *server->Server(), image.Slot, image.Generation)
  , Places(image.Map)
  , Image(image.Image)
  , Key(image.Key)
  , DiskCapacity(image.DiskCapacity)
  , LargestSize(this->Places.Capacity() +
      (this->Places.ReachesDisk() ? 0 : image.DiskCapacity * image.Map.Hosts))
  , Bytes(image.Grant)
  , NextNote(image.Foreseen ? std::numeric_limits<std::uint64_t>::max() : SharedGrants::NextNote(0))
  , Rank(rank)
{
}

std::string ImageGrant::AdviceForMore() const
{
  const std::string each = environment::FormatBytes(this->Places.Parameters().HostCapacity);
  return this->Server->Server()->Pinned
    ? fmt::format("the hosts' memory is pinned, in slots of {}. Start the server for files of that "
                  "size (--expected-file-size), for fewer snapshots, or with more memory per host",
        each)
    : fmt::format(
        "start the server with more memory per host (it is {}), or with more hosts", each);
}

void ImageGrant::NoteReached(std::uint64_t end)
{
  this->Shared.NoteReached(end);
  this->NextNote = SharedGrants::NextNote(end);
}

void ImageGrant::RequirePlaces(std::uint64_t fileSize)
{
  this->Follow(fileSize);
  if (this->DiskCapacity > 0 && fileSize > this->Places.Capacity())
  {
    this->Extend(fileSize);
  }
}

void ImageGrant::Extend(std::uint64_t end)
{
  if (end > this->LargestSize)
  {
    const auto hosts = this->Places.Parameters().Hosts;
    throw Error(Fault::RingFull,
      "{} needs {} or more, and the DSM server's {} host{} can take {} of one file, spread as {}: "
      "{}, or write less per file",
      this->Slot.FileName(), environment::FormatBytes(end), hosts, hosts == 1 ? "" : "s",
      environment::FormatBytes(this->LargestSize), this->Places.Parameters().Strategy,
      this->AdviceForMore());
  }
  if (this->Server.IsLost())
  {
    this->ExtendAlone(end);
  }
  else if (!this->ExtendByMemory(end))
  {
    if (const auto extended = this->Server.Ask(ExtendImage{ this->Image, this->Key, end }))
    {
      this->FollowToDisk(extended->Disk);
      this->Bytes = extended->Grant;
    }
    else
    {
      this->ExtendAlone(end);
    }
  }
  this->NextNote = SharedGrants::NextNote(0);
}

// Reads what any rank may write, as the server says in memory. Returns true if that is enough.
bool ImageGrant::TakeGranted(std::uint64_t end)
{
  this->Bytes = std::max(this->Bytes, this->Shared.Granted());
  this->Follow();
  return this->Holds(end);
}

// Another rank may have asked already. Rank 0 alone has a channel to ask by. Returns false if the
// server has to be asked there, or does not look at its memory.
bool ImageGrant::ExtendByMemory(std::uint64_t end)
{
  if (this->TakeGranted(end))
  {
    return true;
  }
  if (this->Rank == 0)
  {
    return false;
  }
  const Contact& contact = this->Server->GetContact();
  switch (this->Shared.Ask(end, this->Server->AllocationTimeout(), this->Slot.Silence(),
    [&] { return presence::HasEnded(contact); }))
  {
    case SharedGrants::Answer::Granted:
      return this->TakeGranted(end);
    case SharedGrants::Answer::Refused:
      throw this->Shared.Reason();
    case SharedGrants::Answer::Lost:
      this->Slot.RequireKept();
      return false;
    case SharedGrants::Answer::Silent:
      break;
  }
  return false;
}

// Nobody else manages this slot any more. A page that does not exist would be found to be missing
// in the middle of a copy, with a signal that ends the program: so they are made first.
void ImageGrant::ExtendAlone(std::uint64_t end)
{
  // A range that begins in memory and ends on disk is extended in two steps.
  const std::uint64_t from = this->Places.Parameters().Disk.From;
  if (this->Bytes < from && from < end)
  {
    this->ExtendAlone(from);
  }
  const std::uint64_t most = this->Bytes < from ? from : this->Places.Capacity();
  if (end > most)
  {
    throw Error(Fault::RingFull,
      "{} needs {} or more. It has {} in memory, and its server is lost, without which it cannot "
      "go on on disk",
      this->Slot.FileName(), environment::FormatBytes(end), environment::FormatBytes(most));
  }
  const std::uint64_t grant = std::min(most, std::max(end, this->Bytes + GrowthStep));
  const bool onDisk = from > 0 && grant > from;
  for (HostIndex host = 0; host < this->Slot.Hosts(); ++host)
  {
    const auto size = [&](std::uint64_t bytes)
    {
      return onDisk ? this->Places.Parameters().Disk.Offset + this->Places.DiskSize(host, bytes)
                    : this->Places.MemorySize(host, bytes);
    };
    const std::uint64_t begin = size(this->Bytes);
    this->Slot.Reserve(host, begin, size(grant) - begin);
  }
  this->Bytes = grant;
}

void ImageGrant::FollowToDisk(const DiskShare& share)
{
  if (share.From > 0 && !this->Places.ReachesDisk())
  {
    MapParameters parameters = this->Places.Parameters();
    parameters.Disk = share;
    this->Places = AddressMap(parameters);
  }
}

}
