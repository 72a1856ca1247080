// SPDX-License-Identifier: BSD-3-Clause
#include "Client/SteeringQueues.h"

#include <algorithm>

namespace dsm
{

std::unique_ptr<ChangePlan> SteeringQueues::Take()
{
  const std::lock_guard counter(this->Counter);
  this->HasNews = false;
  return std::move(this->Ready);
}

void SteeringQueues::Submit(std::unique_ptr<ChangePlan> carried)
{
  this->Submit({ std::move(carried), {} });
}

void SteeringQueues::Submit(ReportProgress progress)
{
  this->Submit({ nullptr, std::move(progress) });
}

void SteeringQueues::Submit(Submitted what)
{
  std::shared_ptr<Channel> listener;
  bool first = false;
  {
    const std::lock_guard counter(this->Counter);
    first = this->Unprocessed.empty();
    this->Unprocessed.push_back(std::move(what));
    listener = this->Listener;
  }
  if (!listener)
  {
    const std::lock_guard lock(this->Guard);
    this->ProcessSubmitted(nullptr);
  }
  else if (first)
  {
    this->NotifyLater(*listener, &SteeringQueues::ComposeNew);
  }
}

void SteeringQueues::Declare(const Declarations& declarations, NamedValues values)
{
  const std::lock_guard lock(this->Guard);
  this->ProcessSubmitted(nullptr); // their values are older than these
  this->Declared = true;
  this->Values = std::move(values);
  this->Offered = std::make_shared<Declarations>(declarations);
  const std::lock_guard counter(this->Counter);
  if (this->Ready)
  {
    this->Ready->Renew(*this->Offered);
  }
}

std::vector<std::string> SteeringQueues::ArraysOf(const DeliverTransactions& delivered) const
{
  const std::lock_guard lock(this->Guard);
  std::vector<std::string> arrays;
  for (const Transaction& transaction : delivered.Transactions)
  {
    for (auto& array : dsm::ArraysOf(*this->Offered, transaction))
    {
      arrays.push_back(std::move(array.second));
    }
  }
  return arrays;
}

// While the time loop computes: only the end is done under the lock.
void SteeringQueues::Receive(const DeliverTransactions& delivered, std::vector<FetchedArray> arrays)
{
  std::shared_ptr<const Declarations> offered;
  std::uint64_t received = 0;
  {
    const std::lock_guard lock(this->Guard);
    offered = this->Offered;
    received = this->Received;
  }
  auto plan = std::make_unique<ChangePlan>();
  plan->Arrays = std::move(arrays);
  for (const Transaction& transaction : delivered.Transactions)
  {
    if (transaction.Number > received)
    {
      received = transaction.Number;
      plan->Add(*offered, transaction);
    }
  }
  if (plan->Asked.empty())
  {
    return;
  }
  {
    const std::lock_guard lock(this->Guard);
    if (offered != this->Offered)
    {
      plan->Renew(*this->Offered);
    }
    this->Received = received;
    const std::lock_guard counter(this->Counter);
    if (this->Ready)
    {
      this->Ready->Append(std::move(*plan));
    }
    else
    {
      this->Ready = std::move(plan);
    }
    this->HasNews = true;
  }
  this->Notify();
}

void SteeringQueues::Receive(const OutcomesAcknowledged& acknowledged)
{
  const auto last = std::max_element(acknowledged.Tickets.begin(), acknowledged.Tickets.end());
  const std::lock_guard lock(this->Guard);
  while (last != acknowledged.Tickets.end() && !this->Unacknowledged.empty() &&
    this->Unacknowledged.front().first <= *last)
  {
    this->Unacknowledged.pop_front();
  }
}

bool SteeringQueues::HasDeclared() const
{
  const std::lock_guard lock(this->Guard);
  return this->Declared;
}

DeclareProgram SteeringQueues::Declaration()
{
  const std::lock_guard lock(this->Guard);
  this->ProcessSubmitted(nullptr);
  return { {}, {}, this->Received, *this->Offered, this->Values };
}

void SteeringQueues::BeginAnew()
{
  const std::lock_guard lock(this->Guard);
  this->Received = 0;
  this->ProcessSubmitted(nullptr);
  this->Unacknowledged.clear();
  const std::lock_guard counter(this->Counter);
  for (std::size_t index = 0; this->Ready && index < this->Ready->Asked.size(); ++index)
  {
    this->Ready->Asked[index].Number = this->Ready->Outcomes[index].Number = 0;
  }
}

void SteeringQueues::Attach(std::shared_ptr<Channel> channel)
{
  const std::lock_guard lock(this->Guard);
  // Before anything newer: the server takes outcomes in the order of their tickets only.
  this->NotifyLater(*channel, &SteeringQueues::ComposeUnacknowledged);
  const std::lock_guard counter(this->Counter);
  this->Listener = std::move(channel);
}

void SteeringQueues::Detach()
{
  std::shared_ptr<Channel> gone; // ends when the lock is free
  const std::lock_guard counter(this->Counter);
  gone.swap(this->Listener);
}

// With Guard held: keeps what is new, and adds to `messages`, if given, what there is to tell.
void SteeringQueues::ProcessSubmitted(std::vector<Channel::Notice>* messages)
{
  std::vector<Submitted> all;
  {
    const std::lock_guard counter(this->Counter);
    all.swap(this->Unprocessed);
  }
  for (auto& submitted : all)
  {
    if (!submitted.Carried)
    {
      for (const auto& [name, value] : submitted.Progress.Values)
      {
        this->Values[name] = value;
      }
      if (messages)
      {
        messages->push_back(Channel::Notice::Of(submitted.Progress));
      }
      continue;
    }
    ReportOutcomes report;
    for (Outcome& outcome : submitted.Carried->Completed())
    {
      // What the next server will hear first.
      for (const auto& change : outcome.Changes)
      {
        this->Values[change.Name] = change.New;
      }
      report.Outcomes.push_back({ ++this->LastTicket, outcome });
      this->Unacknowledged.emplace_back(this->LastTicket, std::move(outcome));
    }
    if (messages)
    {
      messages->push_back(Channel::Notice::Of(report));
    }
  }
}

// In the channel's thread, which may live longer than this.
void SteeringQueues::NotifyLater(
  Channel& channel, std::vector<Channel::Notice> (SteeringQueues::*compose)())
{
  channel.NotifyLater(
    [self = this->weak_from_this(), compose]
    {
      const auto mail = self.lock();
      return mail ? (mail.get()->*compose)() : std::vector<Channel::Notice>();
    });
}

std::vector<Channel::Notice> SteeringQueues::ComposeNew()
{
  std::vector<Channel::Notice> messages;
  const std::lock_guard lock(this->Guard);
  this->ProcessSubmitted(&messages);
  return messages;
}

// What the server may have missed; it ignores what comes twice.
std::vector<Channel::Notice> SteeringQueues::ComposeUnacknowledged()
{
  const std::lock_guard lock(this->Guard);
  ReportOutcomes report;
  for (const auto& [ticket, outcome] : this->Unacknowledged)
  {
    report.Outcomes.push_back({ ticket, outcome });
  }
  std::vector<Channel::Notice> messages;
  if (!report.Outcomes.empty())
  {
    messages.push_back(Channel::Notice::Of(report));
  }
  this->ProcessSubmitted(&messages);
  return messages;
}

}
