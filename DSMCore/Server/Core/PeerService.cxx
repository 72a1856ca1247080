// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/PeerService.h"

#include "Base/Log.h"
#include "Base/Timeouts.h"
#include "Protocol/Peer.h"
#include "Server/Core/RequestRouter.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace dsm
{

namespace
{
// Programs that only read leave so many to those that write.
constexpr std::uint64_t MailboxesForWriters = 16;
}

void PeerService::Serve(RequestRouter& router)
{
  router.On<Hello>(*this);
}

void PeerService::Handle(const Call& call, const Hello& message)
{
  const Peer* const known = this->Part.Peers.Find(call.Peer());
  // A peer that says it again keeps what it has.
  Peer peer = known ? *known : Peer();
  peer.Process = message.Peer;
  if (const GuestDescription* guest = this->Part.Guests.Find(call.Id().Key))
  {
    peer.Guest = guest->Guest;
    peer.Process.Role = "viewer"; // whatever it says: it can be no simulation
    Log().info("{} connected: {}", GuestText(peer.Guest), PeerText(peer.Process));
  }
  bool isBack = false;
  if (message.Host)
  {
    isBack = this->Part.Hosts.Seat(call.Id(), *message.Host, this->IsOwner(call.Id().Key));
    peer.Host = message.Host->Number;
  }
  peer.Since = this->Part.State.Time.Wall;
  peer.KnownRevision = this->Part.State.Revision;
  peer.AllocationTimeout = this->Part.State.Options.FullRingLimit;
  const bool isGuest = !peer.Guest.empty();
  this->Part.Peers.Enter(call.Peer(), std::move(peer));
  call.Reply(this->ReplyTo(call, message, isGuest));
  if (message.Host && this->Part.Presence.AllAreHere())
  {
    this->Part.Preallocation.Continue(); // memory can be made ready before any writer comes
  }
  if (isBack)
  {
    Log().info("DSM host {} is back, with its memory", message.Host->Number);
    this->Part.Hosts.Submit(this->Part.Images.HostIsBack(message.Host->Number));
    this->Part.Allocations.Retry();
  }
  this->Part.Waiting.WakeAll();
}

HelloReply PeerService::ReplyTo(const Call& call, const Hello& message, bool isGuest)
{
  const CoreState& state = this->Part.State;
  HelloReply reply;
  reply.Server = isGuest ? ForReading(state.Description) : state.Description;
  reply.FullRingLimit = state.Options.FullRingLimit.count();
  reply.Files = this->Part.Settings.ToldFilePolicy();
  reply.Clock = state.Time.Steady();
  // A program that writes to disk meanwhile comes back when this is empty.
  reply.Trouble =
    state.IsEnding ? "it ends, and takes no more files" : this->Part.Presence.WhyLost();
  const PeerRole role = PeerRoleOf(message.Peer);
  if ((role == PeerRole::Writer || role == PeerRole::Viewer) && this->IsOwner(call.Id().Key) &&
    message.Peer.Machine == state.Around.Machine)
  {
    reply.Mailbox =
      this->Part.Channel.GiveMailbox(call.Id(), role == PeerRole::Writer ? 0 : MailboxesForWriters);
  }
  return reply;
}

void PeerService::LeaveEnded()
{
  std::vector<PeerId> ended;
  for (const auto& [id, peer] : this->Part.Peers.All())
  {
    if (!peer.Host && this->Part.Peers.HasEnded(peer))
    {
      ended.push_back(id);
    }
  }
  std::ranges::for_each(ended, [this](const PeerId& id) { this->Leave(id, true); });
}

void PeerService::Leave(const PeerId& id, bool isLost)
{
  const auto removed = this->Part.State.IsOpen ? this->Part.Peers.Remove(id) : std::nullopt;
  if (!removed)
  {
    return;
  }
  const Peer& peer = *removed;
  const std::string how = !isLost ? "ended"
    : this->Part.Peers.HasEnded(peer)
    ? "exited without disconnecting"
    : fmt::format("stopped responding (no message for {:.3g} s)", PeerTimeout().count());
  this->Part.Events.Publish(&SnapshotObserver::OnPeerLeft, PeerLeft{ id, peer, isLost, how });
  Incidents& trouble = this->Part.State.Trouble;
  if (peer.Host)
  {
    this->Part.Presence.Peers[*peer.Host].clear();
    const auto text = fmt::format("DSM host {} {}: its memory cannot be reached", *peer.Host, how);
    if (isLost)
    {
      Log().warn("{}", text);
    }
    trouble.Note(text);
    this->Part.Hosts.Lose(*peer.Host, text);
  }
  if (peer.IsSimulation())
  {
    const auto text = fmt::format("{} {}", PeerText(peer.Process), how);
    Log().info("{}", text);
    // A simulation that writes and is steered has two channels, and is reported once.
    if (isLost && this->Part.Peers.NoteLostSimulation())
    {
      trouble.Report(text);
    }
  }
  if (this->Part.Reads.NoneWillCome())
  {
    this->Part.Announcer.AnnounceAll();
  }
  this->Part.Allocations.Retry();
  this->Part.Waiting.WakeAll();
}

}
