// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/TransportKind.h"

#include <algorithm>

namespace dsm
{

bool TransportKind::IsMeant(const std::string& name) const
{
  const auto choices = this->Choices();
  return std::any_of(choices.begin(), choices.end(),
    [&](const std::string& choice)
    {
      const std::string before = choice + "/";
      return name == choice ||
        (!this->Variants().empty() && name.starts_with(before) && name.size() > before.size());
    });
}

const TransportKind* FindTransportKind(const std::string& name)
{
  const auto& kinds = TransportKinds();
  const auto found = std::find_if(
    kinds.begin(), kinds.end(), [&](const TransportKind* kind) { return kind->IsMeant(name); });
  return found == kinds.end() ? nullptr : *found;
}

bool MustJoinHosts(const TransportPeer& peer)
{
  const auto& kinds = TransportKinds();
  return std::any_of(
    kinds.begin(), kinds.end(), [&](const TransportKind* kind) { return kind->MustJoin(peer); });
}

std::string NeedsPump(const TransportChoice& choice)
{
  for (const TransportKind* kind : TransportKinds())
  {
    if (auto why = kind->NeedsPump(choice); !why.empty())
    {
      return why;
    }
  }
  return {};
}

PinningNeed NeedsPinned(const TransportChoice& choice)
{
  PinningNeed found;
  for (const TransportKind* kind : TransportKinds())
  {
    const PinningNeed need = kind->NeedsPinned(choice);
    if (!need.Why.empty() && (found.Why.empty() || (need.Required && !found.Required)))
    {
      found = need;
    }
  }
  return found;
}

void JoinHosts(const Communicator& ranks, TransportPeer& peer)
{
  for (const TransportKind* kind : TransportKinds())
  {
    kind->Join(ranks, peer);
  }
}

}
