// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/KeepService.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Server/Core/RequestRouter.h"
#include "Server/Core/SnapshotTable.h"

#include <memory>

namespace dsm
{

KeepService::KeepService(CoreState& state, const HostPresence& presence, ImageManager& images,
  HostService& hosts, AllocationService& allocations, const SnapshotEvents& events)
  : State(state)
  , Presence(presence)
  , Images(images)
  , Hosts(hosts)
  , Allocations(allocations)
  , Events(events)
{
}

void KeepService::Serve(RequestRouter& router)
{
  router.On<KeepBytes>(*this);
}

void KeepService::Handle(const Call& call, const KeepBytes& message)
{
  this->Images.RequireKey(message.Image, message.Key);
  // A rank without a channel asks on behalf of the image's owner.
  const PeerId owner = call.HasPeer() ? call.Peer() : this->Images.Image(message.Image).Owner;
  this->Allocations.TryOrWait(
    owner, [this, call, message] { return this->TryKeep(call, message); },
    [call](const std::exception& error) { call.Refuse(error); });
}

bool KeepService::TryKeep(const Call& call, const KeepBytes& message)
{
  const auto kept = this->Images.Keep(message.Image, message.Host, message.Bytes);
  // Answers when all tasks are done. Some are done at once.
  const auto answer = [this, call, isComplete = kept.Complete,
                        left = std::make_shared<std::size_t>(kept.Snapshots.size() + 1)]
  {
    if (--*left > 0 || !isComplete)
    {
      return;
    }
    if (this->Presence.Lost.empty())
    {
      call.Reply(Nothing());
      return;
    }
    call.Refuse(
      Error(Fault::PeerLost, "the DSM server has lost a host ({}), and with it a part of the file",
        this->Presence.WhyLost()));
  };
  for (const auto& one : kept.Snapshots)
  {
    this->Copy({ one.Snapshot, one.Copying, answer });
  }
  this->Hosts.Submit(kept.Telling, [answer](const TaskFailure&) { answer(); });
  return kept.Complete;
}

// The hosts have copied what a snapshot is to keep. If they could not, the simulation goes on and
// the snapshot is evicted: its readers find out before any of its bytes change.
void KeepService::Finish(const Keeping& keeping, const TaskFailure& failure)
{
  const auto& [snapshot, copying, answer] = keeping;
  if (failure.IsEmpty())
  {
    this->Images.ConfirmKept(snapshot);
    if (this->Images.Snapshots().Find(snapshot.Number))
    {
      this->Events.Publish(&SnapshotObserver::OnMoved, snapshot);
    }
    answer();
    return;
  }
  if (failure.LacksMemory)
  {
    if (auto room = this->Images.MakeRoomFor(snapshot.Number))
    {
      Keeping again = keeping;
      again.Copying.Plan.Raise = std::move(room->Raise);
      again.Copying.Plan.Release = std::move(room->Release);
      this->Copy(again);
      return;
    }
  }
  const SnapshotTable& snapshots = this->Images.Snapshots();
  if (snapshots.Find(snapshot.Number)) // else it was evicted while the hosts copied
  {
    const std::string text = fmt::format(
      "snapshot {} ({}) had to go: {}", snapshot.Number, snapshot.FileName, failure.Why);
    if (failure.LacksMemory && !snapshots.IsKept(snapshot.Number))
    {
      Log().info("{}", text); // the lack is reported, and the snapshot may be evicted in any case
    }
    else
    {
      this->State.Trouble.Report(text);
    }
  }
  const auto telling = this->Images.Revoke(snapshot.Number);
  this->Hosts.Submit(telling, [done = answer](const TaskFailure&) { done(); });
  this->Hosts.Cool(copying.Slot);
}

void KeepService::Copy(const Keeping& keeping)
{
  this->Hosts.Submit(keeping.Copying,
    [this, keeping](const TaskFailure& failure) { this->Finish(keeping, failure); });
}

}
