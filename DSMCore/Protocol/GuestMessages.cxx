// SPDX-License-Identifier: BSD-3-Clause
#include "Protocol/GuestMessages.h"

#include "Base/Error.h"

#include <array>

namespace dsm
{

namespace
{
constexpr std::array<const char*, 4> RightNames{ "look", "steer", "write", "own" };
}

const char* RightName(Right right)
{
  return RightNames[static_cast<std::size_t>(right)];
}

Right RightFromName(const std::string& name)
{
  for (std::size_t i = 0; i < RightNames.size(); ++i)
  {
    if (name == RightNames[i])
    {
      return static_cast<Right>(i);
    }
  }
  throw Error(Fault::Refused, "there is no right \"{}\"", name);
}

void Describe(Fields& fields, InviteGuest& request)
{
  fields("Guest", request.Guest);
  fields.AsText("May", request.May, RightName, RightFromName);
  fields("Key", request.Key);
}

void Describe(Fields& fields, WithdrawnGuest& reply)
{
  fields("Connections", reply.Connections);
}

void Describe(Fields& fields, WithdrawGuest& request)
{
  fields("Guest", request.Guest);
}

void Describe(Fields& fields, GuestDescription& guest)
{
  fields("Guest", guest.Guest);
  fields.AsText("May", guest.May, RightName, RightFromName);
  fields("Invited", guest.Invited);
  fields("Withdrawn", guest.Withdrawn);
}

void Describe(Fields& fields, ConnectedPeer& peer)
{
  fields("Guest", peer.Guest);
  fields("Process", peer.Process);
  fields("Since", peer.Since);
}

void Describe(Fields& fields, GuestList& list)
{
  fields("Guests", list.Guests);
  fields("Connected", list.Connected);
}

void Describe(Fields&, ListGuests&) {}

}
