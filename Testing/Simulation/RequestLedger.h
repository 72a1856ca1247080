// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/Envelope.h"
#include "Control/RequestId.h"
#include "Journal.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace dsm::simulation
{

/// The requests that the core has got. Each must be answered once, within its limit, unless its
/// peer has left.
class RequestLedger
{
public:
  struct Entry
  {
    Envelope Request;
    double Received = 0;
    double Until = 0;
    std::uint64_t Event = 0; ///< in which the core got it
  };

  explicit RequestLedger(Journal& journal)
    : Notes(journal)
  {
  }

  void Received(const PeerId& peer, Entry entry);
  /// Returns the request that is answered now. Empty if its peer has left.
  Entry Answered(const RequestId& request);
  /// The answer was not sent after all.
  void Withhold(const RequestId& request, const Entry& entry);
  void PeerLeft(const PeerId& peer);
  void Check(double now);

private:
  Journal& Notes;
  std::map<std::pair<PeerId, std::uint64_t>, Entry> Open;
  std::set<std::pair<PeerId, std::uint64_t>> Done;
};

}
