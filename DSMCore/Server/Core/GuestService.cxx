// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/GuestService.h"

#include "Base/Log.h"
#include "Server/Core/RequestRouter.h"

#include <algorithm>
#include <utility>

namespace dsm
{
void GuestService::Serve(RequestRouter& router)
{
  router.On<InviteGuest>(*this);
  router.On<WithdrawGuest>(*this);
  router.On<ListGuests>(*this);
}

void GuestService::Handle(const Call& call, const InviteGuest& message)
{
  GuestBook book = this->Guests;
  book.Invite(message, this->State.Time.Wall);
  this->Channel.Admit(message.Key);
  this->Guests = std::move(book);
  Log().info("{} is invited to {}", message.Guest, RightName(message.May));
  call.Reply(Nothing());
}

void GuestService::Handle(const Call& call, const WithdrawGuest& message)
{
  this->Channel.Withdraw(this->Guests.Withdraw(message.Guest, this->State.Time.Wall));
  const auto& peers = this->Peers.All();
  const auto ending = std::count_if(peers.begin(), peers.end(),
    [&](const auto& entry) { return entry.second.Guest == message.Guest; });
  Log().info("the invitation of {} is withdrawn", message.Guest);
  call.Reply(WithdrawnGuest{ static_cast<std::uint64_t>(ending) });
}

void GuestService::Handle(const Call& call, const ListGuests&)
{
  call.Reply(GuestList{ this->Guests.All(), this->Peers.Connected() });
}

}
