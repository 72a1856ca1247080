// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/MappingService.h"

#include "Memory/SegmentLayout.h"
#include "Server/Core/RequestRouter.h"

#include <utility>
#include <vector>

namespace dsm
{

namespace
{
// A viewer that was stopped is asked again when it has come back.
constexpr Seconds AskAgain(1);
}

void MappingService::Serve(RequestRouter& router)
{
  router.On<MapSnapshot>(*this);
}

void MappingService::Handle(const Call& call, const MapSnapshot& message)
{
  const Peer& peer = this->Part.Peers.Known(call.Peer());
  SnapshotTable& table = this->Part.Images.Snapshots();
  const SnapshotDescription* const snapshot = table.Find(message.Snapshot);
  if (!snapshot)
  {
    table.ThrowNone(std::to_string(message.Snapshot));
  }
  MappingReply reply;
  reply.Why = this->WhyNot(peer, *snapshot);
  const auto place = this->FreePlace();
  if (reply.Why.empty() && !place)
  {
    reply.Why = fmt::format("viewers map {} snapshots, which is the most", this->Places.size());
  }
  if (reply.Why.empty() && place)
  {
    const std::uint64_t number = ++this->LastNumber;
    table.Retain(snapshot->Number);
    this->Places[*place] = { snapshot->Number, message.Process, number, this->Part.State.Time.Now };
    this->Part.Slots.Mapped(*place).Offer(number);
    reply.Kept = MappedPlace{ *place, number };
  }
  call.Reply(reply);
}

// Returns why a snapshot is not kept for a peer, as the end of "it is copied, since"; empty if it
// is. The server sees only on its own node whether a process has ended.
std::string MappingService::WhyNot(const Peer& peer, const SnapshotDescription& snapshot) const
{
  const ImageManager& images = this->Part.Images;
  if (peer.Process.Machine != this->Part.State.Around.Machine)
  {
    return "the DSM server's first host is on another node";
  }
  if (snapshot.Shared || images.IsAppended(snapshot.FileName))
  {
    return "its program writes on in the file";
  }
  if (this->Part.Allocations.IsWaiting())
  {
    return "a program waits for memory";
  }
  if (images.KeepsUnread())
  {
    return "a full memory keeps what nobody has read, and needs the room";
  }
  const AddressMap map(snapshot.Map);
  if (images.GetPolicy().MaximumSnapshots < LeastFiles || images.Memory().IsLimited() ||
    images.Memory().MostFiles(map, snapshot.FileSize) < LeastFiles)
  {
    return fmt::format("the memory has no room for {} such files", LeastFiles);
  }
  return {};
}

std::optional<std::uint64_t> MappingService::FreePlace() const
{
  std::uint64_t place = 0;
  for (const auto& [taken, mapping] : this->Places)
  {
    if (taken != place)
    {
      break;
    }
    ++place;
  }
  return place < SegmentLayout::MostMapped ? std::optional(place) : std::nullopt;
}

template <typename Condition>
void MappingService::ReleaseIf(const Condition& isOver)
{
  const auto released = std::erase_if(this->Places,
    [&](const auto& entry)
    {
      const auto& [place, mapping] = entry;
      const bool over = isOver(place, mapping);
      if (over)
      {
        this->Part.Images.Snapshots().Release(mapping.Snapshot, false);
      }
      return over;
    });
  if (released > 0)
  {
    this->Part.Allocations.Retry();
  }
}

void MappingService::ReleaseDone()
{
  this->ReleaseIf([this](std::uint64_t place, const Mapping& mapping)
    { return this->Part.Slots.Mapped(place).StateOf(mapping.Number) == MappedEntry::State::Over; });
}

void MappingService::ReleaseLost()
{
  std::map<std::uint64_t, bool> ended; // by the processes
  for (const auto& [place, mapping] : this->Places)
  {
    if (!ended.contains(mapping.Process))
    {
      ended[mapping.Process] = this->Part.State.Around.ProcessHasEnded(mapping.Process);
    }
  }
  const auto now = this->Part.State.Time.Now;
  this->ReleaseIf(
    [&](std::uint64_t place, const Mapping& mapping)
    {
      return ended.at(mapping.Process) ||
        (Seconds(now - mapping.Offered) >= OfferLimit &&
          this->Part.Slots.Mapped(place).Withdraw(mapping.Number));
    });
}

void MappingService::AskBack()
{
  if (this->Places.empty() || !this->Part.Allocations.IsWaiting())
  {
    return;
  }
  const auto now = this->Part.State.Time.Now;
  std::map<std::uint64_t, std::vector<MappedPlace>> wanted; // by the processes
  for (auto& [place, mapping] : this->Places)
  {
    if (!mapping.Asked || Seconds(now - *mapping.Asked) >= AskAgain)
    {
      mapping.Asked = now;
      wanted[mapping.Process].push_back({ place, mapping.Number });
    }
  }
  if (wanted.empty())
  {
    return;
  }
  for (const auto& [id, peer] : this->Part.Peers.All())
  {
    const auto found = wanted.find(peer.Process.Process);
    if (found != wanted.end() && !peer.Host && peer.Guest.empty() &&
      peer.Process.Machine == this->Part.State.Around.Machine)
    {
      this->Part.Channel.Send(id, GiveBackSnapshots{ found->second });
    }
  }
}

}
