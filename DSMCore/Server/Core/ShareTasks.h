// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/HostMessages.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dsm
{

/// What hosts were told to write of snapshots, by tickets, and how far they are: the coordinator's
/// side of WriteShare. Decisions only: no message, lock or thread. Not thread safe.
class ShareTasks
{
public:
  struct State
  {
    std::uint64_t Bytes = 0;   ///< by all hosts
    std::uint64_t Missing = 0; ///< hosts that are not done
    std::string Failure;       ///< of the first host that has failed; empty: none has
    bool IsElsewhere = false;  ///< that, or another one, does not have the files
    bool HasMoved = false;     ///< of one of them, what it was to write
  };

  /// The number of a new ticket, for that many hosts.
  std::uint64_t Begin(std::uint64_t hosts);

  void Report(HostIndex host, const ShareWritten& report);

  /// A host is gone: it will not finish what it was told.
  void Lose(HostIndex host, const std::string& why);

  /// The ticket must not have ended.
  State Now(std::uint64_t ticket) const;

  /// Nobody asks for it any more; what is reported later is of no interest.
  void End(std::uint64_t ticket) { this->Tickets.erase(ticket); }

private:
  struct Share
  {
    std::uint64_t Bytes = 0;
    bool Done = false;
  };

  struct Ticket
  {
    std::vector<Share> Hosts;
    std::string Failure;
    bool IsElsewhere = false;
    bool HasMoved = false;
  };

  std::map<std::uint64_t, Ticket> Tickets;
  std::uint64_t Last = 0;
};

}
