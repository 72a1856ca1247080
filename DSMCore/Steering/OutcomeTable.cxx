// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/OutcomeTable.h"

#include <utility>

namespace dsm
{

void OutcomeTable::Enter(Outcome outcome)
{
  const std::uint64_t number = outcome.Number;
  this->Outcomes[number] = std::move(outcome);
  if (this->Outcomes.size() > Most)
  {
    this->Outcomes.erase(this->Outcomes.begin());
  }
}

const Outcome* OutcomeTable::Find(std::uint64_t number) const
{
  const auto found = this->Outcomes.find(number);
  return found == this->Outcomes.end() ? nullptr : &found->second;
}

std::vector<Outcome> OutcomeTable::Newest(std::uint64_t count) const
{
  std::vector<Outcome> newest;
  for (auto outcome = this->Outcomes.rbegin();
    outcome != this->Outcomes.rend() && newest.size() < count; ++outcome)
  {
    newest.push_back(outcome->second);
  }
  return newest;
}

}
