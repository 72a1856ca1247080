// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Right.h"
#include "Encoding/Fields.h"
#include "Protocol/Descriptions.h"

#include <cstdint>
#include <string>
#include <vector>

/// Who else may connect to a server: its owner invites guests, and withdraws invitations.
namespace dsm
{

/// "look", "steer", "write", "own"; the inverse throws Error(Refused).
const char* RightName(Right right);
Right RightFromName(const std::string& name);

/// A guest may come: the holder of a key.
struct InviteGuest
{
  static constexpr const char* Name = "invite";
  static constexpr Right Needs = Right::Own;
  using Reply = Nothing;

  std::string Guest;       ///< a name for people: letters, digits, and . _ @ -
  Right May = Right::Look; ///< or Steer
  std::string Key;         ///< public, in Z85; the other half is the guest's alone
};

struct WithdrawnGuest
{
  std::uint64_t Connections = 0; ///< that end by it
};

/// A guest may come no more.
struct WithdrawGuest
{
  static constexpr const char* Name = "withdraw";
  static constexpr Right Needs = Right::Own;
  using Reply = WithdrawnGuest;

  std::string Guest;
};

/// An invitation.
struct GuestDescription
{
  std::string Guest;
  Right May = Right::Look;
  double Invited = 0;   ///< seconds since 1970, by the server's clock
  double Withdrawn = 0; ///< the same; 0: it is good
};

/// A program that is connected now.
struct ConnectedPeer
{
  std::string Guest; ///< whose key it has; empty: the owner's
  PeerDescription Process;
  double Since = 0; ///< seconds since 1970
};

struct GuestList
{
  std::vector<GuestDescription> Guests; ///< in the order of their invitation
  std::vector<ConnectedPeer> Connected; ///< without the server's own hosts
};

/// Who was invited, and who is there.
struct ListGuests
{
  static constexpr const char* Name = "guests";
  static constexpr Right Needs = Right::Own;
  using Reply = GuestList;
};

void Describe(Fields&, InviteGuest&);
void Describe(Fields&, WithdrawnGuest&);
void Describe(Fields&, WithdrawGuest&);
void Describe(Fields&, GuestDescription&);
void Describe(Fields&, ConnectedPeer&);
void Describe(Fields&, GuestList&);
void Describe(Fields&, ListGuests&);

}
