// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/SharedGrants.h"

#include "Base/Doorbell.h"
#include "Base/RoundUp.h"
#include "Memory/DatedBytes.h"
#include "Memory/RefusalText.h"
#include "Memory/SharedNumber.h"
#include "Peer/AnswerWait.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dsm
{

namespace
{
// What is less than that is there in a moment.
constexpr std::uint64_t SmallestNoted = UINT64_C(32) << 20;
// To copy so much takes a thousand times as long as to say it.
constexpr std::uint64_t BetweenNotes = UINT64_C(8) << 20;
}

SharedGrants::SharedGrants(std::shared_ptr<Transport> route, const ServerDescription& server,
  SlotIndex slot, std::uint64_t generation)
  : Route(std::move(route))
  , Layout(server.SlotSize, server.SlotCount)
  , Slot(slot)
  , Generation(generation)
{
}

std::uint64_t SharedGrants::Load(std::uint64_t offset) const
{
  if (std::byte* place = this->Route->Shared(0, offset))
  {
    return SharedNumber(place).Load();
  }
  std::uint64_t number = 0;
  this->Route->Get(0, offset, &number, sizeof number);
  this->Route->Flush();
  return number;
}

void SharedGrants::Store(std::uint64_t offset, std::uint64_t number) const
{
  if (std::byte* place = this->Route->Shared(0, offset))
  {
    SharedNumber(place).Store(number);
    return;
  }
  this->Route->Put(0, offset, &number, sizeof number);
  this->Route->Flush();
}

std::uint64_t SharedGrants::Granted() const
{
  return this->Load(this->Layout.Grants.OffsetOf(this->Slot));
}

// One of the numbers that several ranks raise, and the bell. Nothing where it is as high already.
void SharedGrants::Raise(std::uint64_t place, std::uint64_t bytes) const
{
  if (DatedBytes::Decode(this->Load(place), this->Generation) >= bytes)
  {
    return;
  }
  this->Store(place, DatedBytes::Encode(this->Generation, bytes));
  if (std::byte* bell = this->Route->Shared(0, this->Layout.Signals.OffsetOf(SegmentLayout::Bell)))
  {
    Doorbell(bell).Ring();
  }
}

SharedGrants::Answer SharedGrants::Ask(
  std::uint64_t bytes, Seconds limit, Seconds silence, const std::function<bool()>& hasEnded) const
{
  AnswerWait wait(*this->Route, this->Layout, limit, silence, hasEnded);
  do
  {
    wait.BeginLook();
    if (this->Granted() >= bytes)
    {
      return Answer::Granted;
    }
    const auto refused =
      DatedBytes::Decode(this->Load(this->Layout.Refused.OffsetOf(this->Slot)), this->Generation);
    if (refused != 0 && refused <= RoundUp(bytes, DatedBytes::Page))
    {
      return Answer::Refused;
    }
    if (this->Load(this->Layout.Generations.OffsetOf(this->Slot)) != this->Generation)
    {
      return Answer::Lost;
    }
    this->Raise(this->Layout.Wanted.OffsetOf(this->Slot), bytes);
  } while (wait.UntilNext());
  return Answer::Silent;
}

void SharedGrants::NoteReached(std::uint64_t bytes) const
{
  const std::uint64_t place = this->Layout.Reached.OffsetOf(this->Slot);
  if (this->Route->Shared(0, place))
  {
    this->Raise(place, bytes);
  }
}

std::uint64_t SharedGrants::NextNote(std::uint64_t reached)
{
  return std::max(SmallestNoted, reached + BetweenNotes);
}

DiskShare SharedGrants::OnDisk(std::uint64_t capacity) const
{
  const std::uint64_t from = this->Load(this->Layout.DiskFrom.OffsetOf(this->Slot));
  return from == 0
    ? DiskShare()
    : DiskShare{ from, this->Load(this->Layout.DiskOffset.OffsetOf(this->Slot)), capacity };
}

Error SharedGrants::Reason() const
{
  std::array<char, SegmentLayout::LongestReason> bytes{};
  this->Route->Get(0, this->Layout.ReasonOf(this->Slot), bytes.data(), bytes.size());
  this->Route->Flush();
  bytes.back() = '\0';
  return refusaltext::Decode(this->Generation, bytes.data());
}

}
