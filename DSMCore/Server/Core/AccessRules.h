// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/Envelope.h"
#include "Protocol/GuestMessages.h"

#include <string>
#include <vector>

/// What a peer must be allowed to do for each message: the one place where that is said.
namespace dsm::access
{

/// A message's name and what it needs.
struct Rule
{
  const char* Message;
  Right Needs; ///< at least: what is in a message may need more, see RightFor
};

/// Of all messages that peers send.
const std::vector<Rule>& Rules();

/// Of the messages that only the server sends: events.
const std::vector<const char*>& ServersOwn();

/// The right that a message needs, by its name and by what is in it. What has no rule needs the
/// highest. Throws Error(Refused) for a message that cannot be read.
Right RightFor(const Envelope& message);

/// Throws Error(Refused), in words for the guest, unless a guest may send the message.
void Require(const GuestDescription& guest, const Envelope& message);

}
