// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/AccessRules.h"

#include "Base/Error.h"

namespace dsm::access
{

namespace
{
// Names what a right allows, in the words of a refusal.
const char* ActOf(Right right)
{
  switch (right)
  {
    case Right::Look:
      return "look";
    case Right::Steer:
      return "steer";
    case Right::Write:
      return "write, delete or be steered";
    case Right::Own:
      break;
  }
  return "host, save to disk, declare or invite";
}
}

void Require(const GuestDescription& guest, Right needed)
{
  if (guest.May >= needed)
  {
    return;
  }
  throw Error(Fault::Refused, "the invitation of {} is to {}: it does not allow to {}. {}",
    guest.Guest, guest.May == Right::Look ? "look only" : "look and steer only", ActOf(needed),
    needed == Right::Steer ? "Ask the server's owner for one that does (dsm-invite --steer)"
                           : "Only who has the server's own contact file may");
}

}
