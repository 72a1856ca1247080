// SPDX-License-Identifier: BSD-3-Clause
// The steering agent's mail: what comes is made ready for the time loop, and what the time loop
// leaves behind is told, and told again until it was acknowledged.
#include "Client/SteeringAgentState.h"

#include "Control/Channel.h"

#include <algorithm>

namespace dsm
{

namespace
{
using Json = nlohmann::json;

Json Ticketed(std::uint64_t ticket, const Outcome& outcome)
{
  return { { "ticket", ticket }, { "outcome", outcome } };
}
}

// In the channel's thread, while the time loop computes: only the end is done under the lock.
void SteeringAgent::State::Receive(const Json& transactions)
{
  std::shared_ptr<const Declarations> offered;
  std::uint64_t received = 0;
  {
    const std::lock_guard lock(this->Guard);
    offered = this->Offered;
    received = this->Received;
  }
  auto plan = std::make_unique<ChangePlan>();
  for (const auto& entry : transactions)
  {
    auto transaction = entry.get<Transaction>();
    if (transaction.Number > received)
    {
      received = transaction.Number;
      plan->Add(*offered, std::move(transaction));
    }
  }
  if (plan->Asked.empty())
  {
    return;
  }
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
  this->News = true;
  this->Changed.notify_all();
}

void SteeringAgent::State::Handle(const Json& event)
{
  const auto what = event.value("event", std::string());
  if (what == "steer")
  {
    this->Receive(event.at("transactions"));
    return;
  }
  const std::lock_guard lock(this->Guard);
  if (what == "acknowledged")
  {
    std::uint64_t last = 0;
    for (const auto& ticket : event.at("tickets"))
    {
      last = std::max(last, ticket.get<std::uint64_t>());
    }
    while (!this->Untold.empty() && this->Untold.front().first <= last)
    {
      this->Untold.pop_front();
    }
  }
  else if (what == "stopping" || what == "forgotten")
  {
    this->Due.notify_all(); // the thread looks at once
  }
}

// In the time loop's thread.
void SteeringAgent::State::HandOver(HandedOver what)
{
  std::shared_ptr<Channel> teller;
  bool first = false;
  {
    const std::lock_guard counter(this->Counter);
    first = this->Fresh.empty();
    this->Fresh.push_back(std::move(what));
    teller = this->Teller;
  }
  if (!teller)
  {
    const std::lock_guard lock(this->Guard);
    this->LookAtFresh(nullptr); // nobody listens
  }
  else if (first)
  {
    this->TellLater(*teller, &State::ComposeFresh);
  }
}

void SteeringAgent::State::SetKnown(bool known)
{
  this->Known = known;
  this->Changed.notify_all();
  const std::lock_guard counter(this->Counter);
  this->Teller = known ? this->Link : nullptr;
}

void SteeringAgent::State::LookAtFresh(std::vector<Json>* messages)
{
  std::vector<HandedOver> all;
  {
    const std::lock_guard counter(this->Counter);
    all.swap(this->Fresh);
  }
  for (auto& fresh : all)
  {
    if (!fresh.Carried)
    {
      this->Declared["values"].update(fresh.Progress.at("values"));
      if (messages)
      {
        fresh.Progress["ask"] = "progress";
        messages->push_back(std::move(fresh.Progress));
      }
      continue;
    }
    Json told = Json::array();
    for (Outcome& outcome : fresh.Carried->Settled())
    {
      // What the next server will hear first.
      for (const auto& change : outcome.Changes)
      {
        this->Declared["values"][change.Name] = change.New;
      }
      told.push_back(Ticketed(++this->LastTicket, outcome));
      this->Untold.emplace_back(this->LastTicket, std::move(outcome));
    }
    if (messages)
    {
      messages->push_back({ { "ask", "applied" }, { "outcomes", std::move(told) } });
    }
  }
}

// In the channel's thread, which may live longer than this.
void SteeringAgent::State::TellLater(Channel& channel, std::vector<Json> (State::*compose)())
{
  channel.NotifyLater(
    [self = this->weak_from_this(), compose]
    {
      const auto state = self.lock();
      return state ? (state.get()->*compose)() : std::vector<Json>();
    });
}

std::vector<Json> SteeringAgent::State::ComposeFresh()
{
  std::vector<Json> messages;
  const std::lock_guard lock(this->Guard);
  this->LookAtFresh(&messages);
  return messages;
}

// What a desk may have missed; it ignores what comes twice.
std::vector<Json> SteeringAgent::State::ComposeUntold()
{
  const std::lock_guard lock(this->Guard);
  Json outcomes = Json::array();
  for (const auto& [ticket, outcome] : this->Untold)
  {
    outcomes.push_back(Ticketed(ticket, outcome));
  }
  std::vector<Json> messages;
  if (!outcomes.empty())
  {
    messages.push_back({ { "ask", "applied" }, { "outcomes", std::move(outcomes) } });
  }
  this->LookAtFresh(&messages);
  return messages;
}

}
