// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/HostMessages.h"
#include "Protocol/SessionMessages.h"
#include "Server/Core/Call.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/HostPresence.h"
#include "Server/Core/HostTasks.h"
#include "Server/Core/ImageManager.h"
#include "Server/Core/MemoryShortage.h"
#include "Server/Core/Messenger.h"
#include "Server/Core/PeerRegistry.h"
#include "Server/Core/ShareTasks.h"
#include "Server/Core/Waiters.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dsm
{

class RequestRouter;

/// Gives the hosts their tasks, and follows which of them are done.
class HostService
{
public:
  /// The objects that the service uses; all must outlive it.
  struct Parts
  {
    CoreState& State;
    PeerRegistry& Peers;
    HostPresence& Presence;
    ImageManager& Images;
    Messenger& Channel;
    Waiters& Waiting;
  };

  /// `secret`: by which hosts prove that they are this server's.
  HostService(const Parts& parts, std::string secret);

  /// \name Tasks on the hosts' memory
  /// `done` is called when the slot can be written, or with the reason why not.
  ///@{
  void Submit(const ImageManager::Work& work, const HostTasks::Done& done = {});
  void Submit(const std::vector<ImageManager::Work>& work);
  /// Makes pages exist in the background.
  void SubmitAhead(const HostTasks::AheadOrder& order, const HostTasks::Done& done);
  /// Gives back what was on disk, before others get its place there.
  void ForgetOnDisk();
  /// Gives back the pages of a slot whose task failed, if it is free.
  void Cool(SlotIndex slot);
  /// Returns true if the hosts have reported all of their tasks.
  bool AreTasksDone() const { return this->Tasks.AreDone(); }
  /// Lifts the limits of hosts that may have their memory again. Returns true if requests may try
  /// to get some.
  bool TryMoreMemory();
  /// Lifts the limits of hosts for a request that came at `since`, if no host has lacked memory
  /// from then on. Returns true if it may try again.
  bool TryMoreMemory(Clock::time_point since);
  ///@}

  /// \name Hosts that come and go
  ///@{
  /// Checks that a peer is the host it says. If it was known by another connection, it was away.
  /// Returns true if it was lost, and is back. Throws Error(Refused).
  bool Seat(const RequestId& request, const HostSeat& seat, bool isOwner);
  /// A host is gone: its tasks fail.
  void Lose(HostIndex host, const std::string& why);
  ///@}

  template <typename Message>
  void Send(HostIndex host, const Message& event)
  {
    if (!this->Part.Presence.Peers[host].empty())
    {
      this->Part.Channel.Send(this->Part.Presence.Peers[host], event);
    }
  }

  /// \name Writing a snapshot to disk by all hosts
  ///@{
  /// Returns the ticket. Throws Error(PeerLost) if a host is lost.
  std::uint64_t BeginShares(const WriteShare& share);
  ShareTasks::State Shares(std::uint64_t ticket) const { return this->Writing.Now(ticket); }
  /// Tells the hosts to stop if `isCancelled`.
  void EndShares(std::uint64_t ticket, bool isCancelled);
  ///@}

  /// Takes its requests from a router, which must not outlive this service.
  void Serve(RequestRouter& router);
  void Handle(const Call& call, const MemoryPrepared& message);
  void Handle(const Call& call, const ShareWritten& message);

private:
  HostIndex RequireHost(const PeerId& peer);
  void NoteLack(HostIndex host, const MemoryPrepared& message);
  bool LiftLimitsIf(bool isDue);

  const Parts Part;
  const std::string Secret;
  HostTasks Tasks;
  ShareTasks Writing;
  MemoryShortage Shortage;
};

}
