// SPDX-License-Identifier: BSD-3-Clause
// What the steering desk tells of transactions and programs.
#include "Steering/SteeringDesk.h"

#include "Base/Error.h"

#include <algorithm>
#include <utility>

namespace dsm
{

namespace
{
constexpr std::size_t ShownOutcomes = 200;
}

SteeringDesk::Json SteeringDesk::Found(std::uint64_t number) const
{
  const auto found = this->Outcomes.find(number);
  if (found != this->Outcomes.end())
  {
    return found->second;
  }
  const bool pending = this->Saves.contains(number) || this->AwaitingFile.contains(number) ||
    std::any_of(this->Programs.begin(), this->Programs.end(),
      [&](const auto& program) { return program.Pending.count(number) > 0; });
  if (!pending)
  {
    throw Error(Fault::Refused,
      "there is no steering transaction {}: the last one was {}, and the outcomes of the last {} "
      "are kept",
      number, this->LastNumber, MostOutcomes);
  }
  return { { "transaction", number }, { "state", "pending" } };
}

SteeringDesk::Json SteeringDesk::Status(const Json& request) const
{
  const auto history = request.value("history", std::uint64_t(1000));
  const auto shown = request.value("outcomes", ShownOutcomes);
  Json programs = Json::array();
  for (auto program = this->Programs.rbegin(); program != this->Programs.rend(); ++program)
  {
    const auto wanted = request.value("program", std::string());
    if (wanted.empty() || program->Name == wanted)
    {
      programs.push_back(program->Describe(history));
    }
  }
  Json outcomes = Json::array();
  for (auto outcome = this->Outcomes.rbegin();
    outcome != this->Outcomes.rend() && outcomes.size() < shown; ++outcome)
  {
    outcomes.push_back(outcome->second);
  }
  return { { "programs", std::move(programs) }, { "outcomes", std::move(outcomes) },
    { "last_transaction", this->LastNumber }, { "log", this->Book.Path() } };
}

}
