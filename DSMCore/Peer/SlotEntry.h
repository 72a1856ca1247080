// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/ReaderGate.h"
#include "Protocol/Descriptions.h"
#include "Transport/Transport.h"

#include <memory>
#include <optional>

namespace dsm
{

/// Keeps what is in a slot there while this process has not told the server that it reads it
/// (ReaderGate). Ends with the object, or when the server has heard of it.
class SlotEntry
{
public:
  /// Enters a slot of host 0's memory, which this process must map. Returns nothing if the server
  /// is about to evict something: then it has to be asked.
  static std::optional<SlotEntry> Enter(
    std::shared_ptr<Transport> route, const ServerDescription& server, SlotIndex slot);

  SlotEntry(SlotEntry&& other) noexcept = default;
  SlotEntry& operator=(SlotEntry&& other) = delete;
  ~SlotEntry();

  /// The server is told, and leaves the slot in this process's stead. Returns the slot.
  SlotIndex HandOver();

private:
  SlotEntry(std::shared_ptr<Transport> route, SharedNumber readers, SlotIndex slot);

  std::shared_ptr<Transport> Route; ///< maps the memory; null: handed over
  SharedNumber Readers;
  SlotIndex Slot;
};

}
