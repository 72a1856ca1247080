// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/Ring.h"
#include "Protocol/HostMessages.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace dsm
{

/// The reason why a task failed; empty if it did not.
struct TaskFailure
{
  std::string Why{};
  bool LacksMemory = false; ///< nothing else is wrong

  bool IsEmpty() const { return this->Why.empty(); }
};

/// Turns cleaning plans into tasks for the host agents, and says when all hosts have done theirs.
/// Not thread safe.
class HostTasks
{
public:
  using Sender = std::function<void(HostIndex host, const PrepareMemory& event)>;
  using Done = std::function<void(const TaskFailure& failure)>;

  HostTasks(std::uint64_t hosts, Sender send)
    : Hosts(hosts)
    , Send(std::move(send))
  {
  }

  /// Sends the plan to the hosts. `done` is called (if there is one) when `slot` can be written: at
  /// once if nothing needs cleaning and no earlier plan for the slot is under way, else when all
  /// hosts report.
  void Submit(const CleaningPlan& plan, SlotIndex slot, const Done& done);

  /// Pages that the hosts are to make exist in the background.
  struct AheadOrder
  {
    std::vector<CleaningPlan::Range> Pages; ///< of several slots
    bool Touches = true;                    ///< they are cleared and mapped as well
    bool Rests = false;                     ///< hosts rest meanwhile if others want their cores
  };

  /// Sends the pages in one message. `done` is called when all hosts have reported, or when one is
  /// gone. What is submitted later for one of the slots waits for that, and fails if it does.
  void SubmitAhead(const AheadOrder& order, const Done& done);

  /// A host reports a ticket.
  void Report(std::uint64_t ticket, const TaskFailure& failure);

  /// A host is gone: nothing under way will be finished.
  void FailAll(const std::string& why);

  /// Returns true if nothing is under way.
  bool AreDone() const { return this->Tickets.empty(); }

private:
  struct Ticket
  {
    std::uint64_t Missing = 0; ///< hosts that have not reported
    SlotIndex Slot = 0;
    TaskFailure Failure;
    Done Finished;
  };

  void SendTo(const CleaningPlan& plan, SlotIndex slot, std::uint64_t number);
  TaskFailure FailureIn(SlotIndex slot) const;
  std::vector<std::uint64_t> TicketsFrom(std::uint64_t number) const;

  std::uint64_t Hosts;
  Sender Send;
  std::map<std::uint64_t, Ticket> Tickets;
  std::uint64_t Last = 0;
};

}
