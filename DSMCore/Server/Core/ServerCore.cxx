// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ServerCore.h"

#include "Base/Error.h"
#include "Server/Core/AnnouncementSignal.h"

#include <utility>

namespace dsm
{

ServerCore::ServerCore(const Edges& edges, Start start)
  : Outside(edges)
  , State(start.Options, start.Description, edges.Around)
  , Router(this->State, *this, edges.Clock)
  , Peers(this->State)
  , Presence(start.Description.Hosts.size())
  , Images(std::move(start.Memory), SettingsService::PolicyOf(start.Options, start.Description),
      &edges.Slots)
  , Leases(this->Images.Snapshots(), this->State.Time)
  , Disk(this->Images.Snapshots())
  , Hosts({ this->State, this->Peers, this->Presence, this->Images, edges.Channel, this->Router },
      start.HostSecret)
  , Allocations(this->State, this->Peers, this->Presence, this->Hosts, this->Images, this->Disk)
  , Preallocation(this->State, this->Presence, this->Images, this->Hosts)
  , Guests(this->State, this->Peers, edges.Channel)
  , Settings({ this->State, this->Peers, this->Images, this->Hosts, this->Disk, edges.Channel },
      start.Lent, [this] { this->Router.WakeAll(); })
  , Steering(edges.Steering, this->Router, this->Peers, this->Runs, this->Images)
  , Runs(this->State, this->Peers, this->Images,
      [this](SteeringService::BegunRun run) { this->Steering.RunBegan(std::move(run)); })
  , Announcer(this->State, this->Images.Snapshots(), this->Events)
  , Growth({ this->State, this->Peers, this->Presence, this->Images, this->Hosts, this->Allocations,
      this->Preallocation, this->Settings, edges.Slots })
  , Keeping(this->State, this->Presence, this->Images, this->Hosts, this->Allocations, this->Events)
  , Writes({ this->State, this->Peers, this->Presence, this->Images, this->Leases, this->Disk,
             this->Locks, this->Hosts, this->Allocations, this->Growth, this->Preallocation,
             this->Runs, this->Announcer, this->Settings, edges.Slots, this->Events, this->Router },
      [this] { return this->Storage.WritesToDisk(); })
  , Reads({ this->State, this->Peers, this->Images, this->Leases, this->Allocations, this->Runs,
      this->Disk, this->Locks, edges.Slots, this->Events, this->Router })
  , Mappings(
      { this->State, this->Peers, this->Images, this->Allocations, edges.Slots, edges.Channel })
  , Storage({ this->State, this->Images.Snapshots(), this->Disk, this->Locks, this->Allocations,
      this->Announcer, this->Router })
  , Transports(this->State, this->Peers, this->Hosts, std::move(start.Mediators))
  , Admin({ this->State, this->Peers, this->Images, this->Allocations, this->Runs, this->Reads,
            this->Storage, this->Settings, edges.Channel, this->Router },
      [this](const Call& call, ServerStatus status)
      { this->Steering.AnswerStatus(call, std::move(status)); })
  , Membership({ this->State, this->Peers, this->Presence, this->Images, this->Guests, this->Hosts,
      this->Allocations, this->Preallocation, this->Announcer, this->Settings, this->Reads,
      this->Events, edges.Channel, this->Router })
{
  this->Membership.Serve(this->Router);
  this->Writes.Serve(this->Router);
  this->Growth.Serve(this->Router);
  this->Keeping.Serve(this->Router);
  this->Reads.Serve(this->Router);
  this->Mappings.Serve(this->Router);
  this->Storage.Serve(this->Router);
  this->Admin.Serve(this->Router);
  this->Hosts.Serve(this->Router);
  this->Guests.Serve(this->Router);
  this->Transports.Serve(this->Router);
  this->Steering.Serve(this->Router);
  this->Runs.Renamed = [this] { this->Storage.Recount(); };
  this->Router.AtEnd(
    [this]
    {
      this->Mappings.ReleaseDone();
      this->Mappings.AskBack();
      this->Evict();
    });
  // In the order in which they hear of an event.
  this->Events.Subscribe(this->Announcer);
  this->Events.Subscribe(this->Allocations);
  this->Events.Subscribe(this->Reads);
  this->Events.Subscribe(this->Transports);
  this->Events.Subscribe(this->Writes);
  this->Events.Subscribe(this->Storage);
  this->Observe<AnnouncementSignal>(edges.Slots);
  this->Settings.SetDiskRule(start.Options.AlsoOnDisk);
}

const GuestDescription* ServerCore::GuestOf(const std::string& key) const
{
  if (this->Membership.IsOwner(key))
  {
    return nullptr;
  }
  const GuestDescription* const guest = this->Guests.Find(key);
  if (!guest)
  {
    throw Error(Fault::Refused, "your invitation was withdrawn by the owner");
  }
  return guest;
}

void ServerCore::Open(const std::string& ownersKey)
{
  this->Membership.SetOwnersKey(ownersKey);
  this->State.IsOpen = true;
}

void ServerCore::Close()
{
  this->State.IsOpen = false;
  this->Allocations.Clear();
  this->Router.WakeAll();
}

void ServerCore::PeerLeft(const PeerId& id, bool isLost)
{
  this->Membership.Leave(id, isLost);
}

void ServerCore::Tick()
{
  this->Outside.Slots.Beat();
  this->Transports.Tick();
  this->Announcer.AnnounceDue();
  this->Reads.ServeWaiting();
  this->Hosts.ForgetOnDisk();
  this->Mappings.ReleaseLost();
  if (this->Images.TakeHindered())
  {
    this->Allocations.Retry();
  }
  this->Preallocation.Continue();
  this->Reads.EndLateReads();
  this->Allocations.Expire();
  if (this->Hosts.TryMoreMemory())
  {
    this->Allocations.Retry();
  }
}

bool ServerCore::LookInMemory()
{
  this->Growth.LookForWants();
  return this->Growth.WatchesAny() || this->Reads.RanksRead();
}

void ServerCore::TakeNoMore()
{
  this->Membership.LeaveEnded();
  this->State.IsEnding = true;
  this->Announcer.AnnounceAll();
}

void ServerCore::TakeAgain()
{
  this->State.IsEnding = false;
}

// The hosts raise a slot's generation when its bytes are about to change. Host 0 does so at once,
// so that from now on nobody finds the snapshot by its placeholder. Nobody did if it shared its
// bytes.
void ServerCore::Evict()
{
  for (const SnapshotDescription& snapshot : this->Images.TakeEvicted())
  {
    if (!snapshot.Shared)
    {
      this->Outside.Slots.RaiseGeneration(snapshot.Slot, snapshot.Generation + 1);
    }
    this->Events.Publish(&SnapshotObserver::OnEvicted, snapshot);
  }
  this->Images.OpenToReaders();
}

}
