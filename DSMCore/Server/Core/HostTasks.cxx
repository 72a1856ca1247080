// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/HostTasks.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dsm
{

namespace
{
SlotRange OnHost(const CleaningPlan::Range& range, HostIndex host)
{
  return { range.Slot, host < range.Begin.size() ? range.Begin[host] : std::uint64_t(0),
    host < range.End.size() ? range.End[host] : std::uint64_t(0) };
}

// A lack of memory can be mended, so other reasons weigh more.
void NoteFailure(TaskFailure& known, const TaskFailure& failure)
{
  if (known.IsEmpty() || known.LacksMemory)
  {
    known = failure;
  }
}
}

void HostTasks::Submit(const CleaningPlan& plan, SlotIndex slot, const Done& done)
{
  // Released slots count as under way as well: their pages vanish only when the host gets to it.
  const auto concerns = [slot](const auto& ticket) { return ticket.second.Slot == slot; };
  const bool wait =
    !plan.IsClean() || std::any_of(this->Tickets.begin(), this->Tickets.end(), concerns);
  if (plan.IsEmpty() && !wait)
  {
    if (done)
    {
      done({});
    }
    return;
  }
  const TaskFailure failure = this->FailureIn(slot);
  const std::uint64_t number = ++this->Last;
  this->Tickets[number] = { this->Hosts, slot, failure, wait ? done : Done() };
  // A host works through its tasks in order, so this one's end means the end of those before. A
  // writer must not find a slot before the host has raised the slot's generation.
  const auto enter = [this, slot](SlotIndex other)
  {
    if (other != slot)
    {
      this->Tickets[++this->Last] = { this->Hosts, other, {}, {} };
    }
  };
  for (const auto& released : plan.Release)
  {
    enter(released.Slot);
  }
  for (const auto& raised : plan.Raise)
  {
    enter(raised.Slot);
  }
  this->SendTo(plan, slot, number);
  if (!wait && done)
  {
    done({});
  }
}

// What is asked for in a slot relies on what is under way there. One host may have failed already,
// while others have not reported.
TaskFailure HostTasks::FailureIn(SlotIndex slot) const
{
  const auto failed =
    std::find_if(this->Tickets.begin(), this->Tickets.end(), [slot](const auto& ticket)
      { return ticket.second.Slot == slot && !ticket.second.Failure.IsEmpty(); });
  return failed == this->Tickets.end() ? TaskFailure() : failed->second.Failure;
}

void HostTasks::SubmitAhead(const AheadOrder& order, const Done& done)
{
  const std::uint64_t first = this->Last + 1;
  for (const auto& range : order.Pages)
  {
    this->Tickets[++this->Last] = { this->Hosts, range.Slot, {}, {} };
  }
  // They are reported together, in this order.
  this->Tickets[this->Last].Finished = done;
  for (HostIndex host = 0; host < this->Hosts; ++host)
  {
    PrepareMemory prepare;
    prepare.Tickets = this->TicketsFrom(first);
    prepare.Touches = order.Touches;
    prepare.Rests = order.Rests;
    for (const auto& range : order.Pages)
    {
      prepare.Ahead.push_back(OnHost(range, host));
    }
    this->Send(host, prepare);
  }
}

std::vector<std::uint64_t> HostTasks::TicketsFrom(std::uint64_t number) const
{
  std::vector<std::uint64_t> tickets(this->Last + 1 - number);
  std::iota(tickets.begin(), tickets.end(), number);
  return tickets;
}

// With all tickets from that number on.
void HostTasks::SendTo(const CleaningPlan& plan, SlotIndex slot, std::uint64_t number)
{
  for (HostIndex host = 0; host < this->Hosts; ++host)
  {
    PrepareMemory order;
    order.Slot = slot;
    order.Tickets = this->TicketsFrom(number);
    for (const auto& generation : plan.Raise)
    {
      order.Raise.push_back({ generation.Slot, generation.Number });
    }
    for (const auto& range : plan.Release)
    {
      order.Release.push_back(OnHost(range, host));
    }
    for (const auto& range : plan.Forget)
    {
      order.Forget.push_back(OnHost(range, host));
    }
    order.Reserve = OnHost(plan.Reserve, host);
    order.OnDisk = OnHost(plan.OnDisk, host);
    order.Folder = plan.Folder;
    order.Zero = OnHost(plan.Zero, host);
    order.Stale = OnHost(plan.Stale, host);
    order.From = plan.Copy.Slot;
    order.To = slot;
    if (host < plan.Copy.Bytes.size())
    {
      order.Copy = plan.Copy.Bytes[host];
    }
    order.InWriting = plan.InWriting;
    order.Populate = OnHost(plan.Populate, host);
    this->Send(host, order);
  }
}

void HostTasks::Report(std::uint64_t ticket, const TaskFailure& failure)
{
  const auto found = this->Tickets.find(ticket);
  if (found == this->Tickets.end())
  {
    return;
  }
  Ticket& open = found->second;
  if (!failure.IsEmpty())
  {
    NoteFailure(open.Failure, failure);
    // What was asked for later in the same slot relied on it.
    for (auto later = std::next(found); later != this->Tickets.end(); ++later)
    {
      if (later->second.Slot == open.Slot)
      {
        NoteFailure(later->second.Failure, failure);
      }
    }
  }
  if (--open.Missing == 0)
  {
    const Ticket finished = std::move(open);
    this->Tickets.erase(found);
    if (finished.Finished)
    {
      finished.Finished(finished.Failure);
    }
  }
}

void HostTasks::FailAll(const std::string& why)
{
  for (auto& [number, ticket] : std::exchange(this->Tickets, {}))
  {
    if (ticket.Finished)
    {
      ticket.Finished({ why });
    }
  }
}

}
