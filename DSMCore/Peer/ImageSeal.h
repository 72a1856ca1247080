// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Memory/SlotEnding.h"
#include "Peer/ImageConnection.h"
#include "Peer/ImageSlot.h"
#include "Protocol/ImageMessages.h"

#include <cstdint>
#include <optional>

namespace dsm
{

/// Makes an image a snapshot once, even if the server's answer is lost.
///
/// A server that does not answer may only be stopped, and find the request when it goes on; or it
/// has carried it out, and the answer alone is lost. The ranks will do something else with the file
/// then, so the request must not be carried out later. If rank 0 maps the memory of host 0,
/// SlotEnding says which it is, whatever the server does.
///
/// Elsewhere the request is good up to a moment of the server's clock, and who has no answer waits
/// for that moment. Then a server that answers is asked what became of it. Nobody sets
/// that clock; between nodes it is known as well as Connection::ServerTime says. What is left there
/// is a server that seals and then stops, or cannot be reached, before anybody can ask it.
class ImageSeal
{
public:
  /// The slot and the connection must outlive this.
  ImageSeal(const ImageSlot& slot, const ImageConnection& server, std::uint64_t generation)
    : Slot(slot)
    , Server(server)
    , Generation(generation)
  {
  }

  /// Asks the server to make the snapshot. Returns its number; 0 if the server did not keep it, and
  /// nothing if it has it though its answer was lost. If it throws, there is no snapshot, nor will
  /// there be one.
  std::optional<SnapshotId> Request(SealImage request) const;

private:
  bool IsSealedInMemory(const SlotEnding& ending) const;
  std::optional<SnapshotId> SealedMeanwhile(const Deadline& refused) const;

  const ImageSlot& Slot;
  const ImageConnection& Server;
  std::uint64_t Generation;
};

}
