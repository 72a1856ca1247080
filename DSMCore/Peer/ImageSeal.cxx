// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/ImageSeal.h"

#include "Base/Error.h"
#include "Base/Timeouts.h"
#include "Control/Presence.h"
#include "Protocol/SnapshotMessages.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace dsm
{

namespace
{
// Beyond the moment until which a server may seal, for its answer to arrive.
constexpr Seconds Margin(0.25);
constexpr std::chrono::milliseconds BetweenLooks(20);
// How long a server that seems to be lost is asked what it has.
constexpr Seconds SecondQuestion(1);
}

std::optional<SnapshotId> ImageSeal::Request(SealImage request) const
{
  const Seconds limit = std::min(RequestTimeout(), PeerTimeout());
  const bool sent = this->Server->Alive();
  request.Until = this->Server->ServerTime() + limit.count();
  const Deadline refused(limit + Margin);
  try
  {
    return this->Server->Request(request, limit + Margin).Number;
  }
  catch (const Error& error)
  {
    const bool answered = this->Server->Alive() && error.GetFault() != Fault::TimedOut;
    if (!sent || answered)
    {
      throw;
    }
    if (const auto number = this->Slot.Number(&SegmentLayout::Endings))
    {
      if (this->IsSealedInMemory(SlotEnding(*number)))
      {
        return std::nullopt;
      }
    }
    else if (const auto snapshot = this->SealedMeanwhile(refused))
    {
      return snapshot;
    }
    throw;
  }
}

// Gives the image up unless the server has sealed it.
bool ImageSeal::IsSealedInMemory(const SlotEnding& ending) const
{
  auto how = ending.Decide(this->Generation, SlotEnding::Kind::GivenUp);
  // If the server has ended, the snapshot that it sealed is lost with it unless somebody saves it.
  if (how == SlotEnding::Kind::Sealed && presence::HasEnded(this->Server->GetContact()))
  {
    how = ending.Undertake(this->Generation, SlotEnding::Kind::GivenUp);
  }
  return how != SlotEnding::Kind::GivenUp;
}

// Waits until the server will refuse the request. Returns the snapshot that the server has made of
// this image, which is the one in its slot; none also when nobody answers.
std::optional<SnapshotId> ImageSeal::SealedMeanwhile(const Deadline& refused) const
{
  while (!refused.Expired() && !presence::HasEnded(this->Server->GetContact()))
  {
    std::this_thread::sleep_for(refused.Remaining(BetweenLooks));
  }
  const auto fresh = this->Server.Reconnected();
  if (!fresh)
  {
    return std::nullopt;
  }
  ListSnapshots request;
  request.HiddenToo = true;
  const auto listed = fresh->Request(request, SecondQuestion);
  for (const SnapshotDescription& snapshot : listed.Snapshots)
  {
    if (snapshot.Slot == this->Slot.SlotNumber() && snapshot.Generation == this->Generation)
    {
      return snapshot.Number;
    }
  }
  return std::nullopt;
}

}
