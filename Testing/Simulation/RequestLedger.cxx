// SPDX-License-Identifier: BSD-3-Clause
#include "RequestLedger.h"

namespace dsm::simulation
{

void RequestLedger::Received(const PeerId& peer, Entry entry)
{
  if (entry.Request.Id != 0)
  {
    this->Open[{ peer, entry.Request.Id }] = std::move(entry);
  }
}

RequestLedger::Entry RequestLedger::Answered(const RequestId& request)
{
  const std::pair key(request.Peer, request.Id);
  if (request.Id == 0)
  {
    return {};
  }
  if (!this->Done.insert(key).second)
  {
    this->Notes.Fail(
      "request {} ({}) of {} was answered twice", request.Id, request.Name, request.Peer);
    return {};
  }
  auto entry = this->Open.extract(key);
  return entry ? std::move(entry.mapped()) : Entry();
}

void RequestLedger::Withhold(const RequestId& request, const Entry& entry)
{
  const std::pair key(request.Peer, request.Id);
  this->Done.erase(key);
  this->Open[key] = entry;
}

void RequestLedger::PeerLeft(const PeerId& peer)
{
  // Its ranks without a channel see in memory that their image is gone.
  std::erase_if(this->Open,
    [&](const auto& entry) { return entry.first.first == peer || entry.first.first.empty(); });
}

void RequestLedger::Check(double now)
{
  for (const auto& [key, entry] : this->Open)
  {
    if (entry.Until < now)
    {
      this->Notes.Fail(
        "request {} ({}) of {} has had no answer for {:.3f} s, and its limit is {:.3f} s",
        key.second, entry.Request.Name, key.first, now - entry.Received,
        entry.Until - entry.Received);
    }
  }
}

}
