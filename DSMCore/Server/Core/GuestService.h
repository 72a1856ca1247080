// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/GuestMessages.h"
#include "Server/Core/Call.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/GuestBook.h"
#include "Server/Core/Messenger.h"
#include "Server/Core/PeerRegistry.h"

#include <string>

namespace dsm
{

class RequestRouter;

/// Invites guests, and withdraws invitations.
class GuestService
{
public:
  /// All must outlive this.
  GuestService(const CoreState& state, const PeerRegistry& peers, Messenger& channel)
    : State(state)
    , Peers(peers)
    , Channel(channel)
  {
  }

  /// Whose key this is. Null if it is nobody's, or no longer.
  const GuestDescription* Find(const std::string& key) const { return this->Guests.Find(key); }

  /// Takes its requests from a router, which must not outlive this service.
  void Serve(RequestRouter& router);
  void Handle(const Call& call, const InviteGuest& message);
  void Handle(const Call& call, const WithdrawGuest& message);
  void Handle(const Call& call, const ListGuests& message);

private:
  const CoreState& State;
  const PeerRegistry& Peers;
  Messenger& Channel;
  GuestBook Guests;
};

}
