// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Memory/SegmentLayout.h"
#include "Protocol/Descriptions.h"
#include "Transport/Transport.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace dsm
{

/// How a rank without a channel gets more room for the image that it writes with others: it says in
/// the memory of host 0 how much it wants, and sees there what was granted. The coordinator looks
/// for it (GrantWatch). So however many ranks outgrow their grant, in independent writes too, which
/// no other rank knows of, the server has no connection more, and asks its hosts once for all.
///
/// What several ranks want is one number, the highest: who finds a lower one there raises it, and
/// looks again as long as it waits. Over a network a put may overwrite a higher one; that costs its
/// rank another look. A rank that maps the memory waits at a Doorbell, others ask again and again.
///
/// Not thread safe, as the transport is not.
class SharedGrants
{
public:
  SharedGrants(std::shared_ptr<Transport> route, const ServerDescription& server, SlotIndex slot,
    std::uint64_t generation);

  /// How many bytes of the image may be written.
  std::uint64_t Granted() const;

  /// What of these is on disk, as long as the image goes there by that: asked after Granted.
  DiskShare OnDisk(std::uint64_t capacity) const;

  enum class Answer
  {
    Granted,
    Refused,
    Lost,  ///< the slot is another's by now
    Silent ///< nobody has looked at what is wanted
  };

  /// Asks for room for so many bytes and waits for the answer, as AnswerWait does.
  Answer Ask(std::uint64_t bytes, Seconds limit, Seconds silence,
    const std::function<bool()>& hasEnded) const;

  /// Says that the image has come so far, and waits for nothing: the coordinator gets more for it
  /// where that takes nothing from anybody. Only where host 0's memory is mapped: over a network
  /// it would take as long as to ask.
  void NoteReached(std::uint64_t bytes) const;

  /// What to reach before that is said of an image that has outgrown what was expected of it, and
  /// has come so far.
  static std::uint64_t NextNote(std::uint64_t reached);

  /// Why that was refused.
  Error Reason() const;

private:
  std::uint64_t Load(std::uint64_t offset) const;
  void Store(std::uint64_t offset, std::uint64_t number) const;
  void Raise(std::uint64_t place, std::uint64_t bytes) const;

  std::shared_ptr<Transport> Route;
  SegmentLayout Layout;
  SlotIndex Slot;
  std::uint64_t Generation;
};

}
