// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/SessionMessages.h"
#include "Server/Core/AllocationService.h"
#include "Server/Core/AnnouncementService.h"
#include "Server/Core/Call.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/GuestService.h"
#include "Server/Core/HostPresence.h"
#include "Server/Core/HostService.h"
#include "Server/Core/ImageManager.h"
#include "Server/Core/Messenger.h"
#include "Server/Core/PeerRegistry.h"
#include "Server/Core/PreallocationService.h"
#include "Server/Core/ReadService.h"
#include "Server/Core/SettingsService.h"
#include "Server/Core/SnapshotEvents.h"
#include "Server/Core/Waiters.h"

#include <string>

namespace dsm
{

class RequestRouter;

/// Registers peers that come, and cleans up after those that leave.
class PeerService
{
public:
  /// The objects that the service uses; all must outlive it.
  struct Parts
  {
    CoreState& State;
    PeerRegistry& Peers;
    HostPresence& Presence;
    ImageManager& Images;
    GuestService& Guests;
    HostService& Hosts;
    AllocationService& Allocations;
    PreallocationService& Preallocation;
    AnnouncementService& Announcer;
    SettingsService& Settings;
    ReadService& Reads;
    const SnapshotEvents& Events;
    Messenger& Channel;
    Waiters& Waiting;
  };

  explicit PeerService(const Parts& parts)
    : Part(parts)
  {
  }

  /// The public key of the contact file, which the server's owner and its hosts have.
  void SetOwnersKey(std::string key) { this->OwnersKey = std::move(key); }
  bool IsOwner(const std::string& key) const { return key == this->OwnersKey; }

  /// Takes its requests from a router, which must not outlive this service.
  void Serve(RequestRouter& router);
  void Handle(const Call& call, const Hello& message);

  /// A peer said goodbye, or is lost.
  void Leave(const PeerId& id, bool isLost);
  /// Removes the peers whose processes have ended, although their channels have not reported it
  /// yet.
  void LeaveEnded();

private:
  HelloReply ReplyTo(const Call& call, const Hello& message, bool isGuest);

  const Parts Part;
  std::string OwnersKey;
};

}
