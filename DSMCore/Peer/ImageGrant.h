// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mapping/AddressMap.h"
#include "Peer/ImageConnection.h"
#include "Peer/ImageSlot.h"
#include "Peer/SharedGrants.h"
#include "Protocol/Descriptions.h"

#include <cstdint>
#include <limits>
#include <string>

namespace dsm
{

/// The room that an image has on the hosts, as far as this rank knows.
///
/// A file that outgrows it needs more. Another rank may have got more already, which this rank
/// reads in the memory of host 0. Rank 0 asks the server by its channel, other ranks in that memory
/// (SharedGrants). Without the server, each rank takes what the slot can have (Reserve).
///
/// A file that outgrows the hosts' memory may go on on their disks. The addresses below stay where
/// they were, so ranks may find that out at different moments.
///
/// Not thread safe, as the transport is not.
class ImageGrant
{
public:
  /// The slot and the connection must outlive this.
  ImageGrant(
    const ImageDescription& image, const ImageSlot& slot, ImageConnection& server, int rank);

  /// How the file's bytes are spread over the hosts.
  const AddressMap& Map() const { return this->Places; }

  /// The largest size that the file can have, as known when the image began. The same on all ranks.
  std::uint64_t Capacity() const { return this->LargestSize; }

  /// Returns what the user can do to write a larger file, as the end of an error message.
  std::string AdviceForMore() const;

  /// Returns true if this rank may write up to an address without asking for more.
  bool Holds(std::uint64_t end) const { return end <= this->Bytes; }

  /// Prepares that bytes up to an address are written. Gets more room if need be: throws
  /// Error(RingFull) if there is none within the server's limit, Error(NoServer) and
  /// Error(PeerLost) as the connection does.
  void Require(std::uint64_t end)
  {
    if (end > this->Bytes)
    {
      this->Extend(end);
    }
    if (end > this->NextNote)
    {
      this->NoteReached(end);
    }
  }

  /// Follows the file to disk if another rank has got it there, and bytes up to an address are to
  /// be read.
  void Follow(std::uint64_t end)
  {
    if (end > this->Bytes && this->DiskCapacity > 0 && !this->Places.ReachesDisk())
    {
      this->FollowToDisk(this->Shared.OnDisk(this->DiskCapacity));
    }
  }

  /// The same wherever the file ends.
  void Follow() { this->Follow(std::numeric_limits<std::uint64_t>::max()); }

  /// Returns true if a file of that size has to be partly on disk, and may be.
  bool NeedsDisk(std::uint64_t fileSize) const
  {
    return this->DiskCapacity > 0 && fileSize > this->Places.InMemory().Capacity();
  }

  /// Finds out where a file of that size goes on on disk. A file may end far behind what was
  /// written of it, so nobody may have asked.
  void RequirePlaces(std::uint64_t fileSize);

private:
  void Extend(std::uint64_t end);
  void NoteReached(std::uint64_t end);
  void FollowToDisk(const DiskShare& share);
  bool TakeGranted(std::uint64_t end);
  bool ExtendByMemory(std::uint64_t end);
  void ExtendAlone(std::uint64_t end);

  const ImageSlot& Slot;
  ImageConnection& Server;
  SharedGrants Shared;
  AddressMap Places;
  ImageId Image;
  std::uint64_t Key;
  std::uint64_t DiskCapacity;
  std::uint64_t LargestSize;
  std::uint64_t Bytes;    ///< of the file that may be written
  std::uint64_t NextNote; ///< what to reach before that is said (SharedGrants)
  int Rank;
};

}
