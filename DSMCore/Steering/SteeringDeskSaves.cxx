// SPDX-License-Identifier: BSD-3-Clause
// The steering desk's part in "write to disk now": an order has a transaction's number, and its
// outcome is waited for in the same way.
#include "Steering/SteeringDesk.h"

#include <utility>

namespace dsm
{

SteeringDesk::Json SteeringDesk::Save(const Json& request, const std::string& who)
{
  Outcome outcome;
  outcome.Number = ++this->LastNumber;
  outcome.Who = request.value("who", who);
  const std::string refused = this->Post.Save
    ? this->Post.Save(outcome.Number, request)
    : std::string("is not possible: this server writes no files");
  if (refused.empty())
  {
    this->Saves[outcome.Number] = outcome.Who;
    return this->Found(outcome.Number);
  }
  outcome.Refusals.push_back({ "write to disk", refused });
  Json answer = outcome;
  this->Settle(std::move(outcome));
  return answer;
}

void SteeringDesk::Saved(Outcome outcome)
{
  const std::lock_guard lock(this->Guard);
  const auto order = this->Saves.find(outcome.Number);
  if (order != this->Saves.end())
  {
    outcome.Who = order->second;
    this->Saves.erase(order);
    this->Settle(std::move(outcome));
  }
}

}
