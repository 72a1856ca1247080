// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/SteeringProgram.h"

#include <algorithm>

namespace dsm
{

namespace
{
using Json = nlohmann::json;

// At 20 samples a second these are more than eight minutes.
constexpr std::size_t MostSamples = 10000;

const char* StateName(SteeringProgram::State state)
{
  return state == SteeringProgram::State::Connected ? "connected"
    : state == SteeringProgram::State::Lost         ? "lost"
                                                    : "ended";
}
}

void SteeringProgram::Declare(const Json& message)
{
  this->Offers = message.at("declarations").get<Declarations>();
  this->Values = message.at("values");
}

void SteeringProgram::Progress(const Json& message)
{
  message.at("step").get_to(this->Step);
  message.at("time").get_to(this->Time);
  message.at("paused").get_to(this->IsPaused);
  if (!this->IsPaused)
  {
    this->PausedBy.clear();
  }
  for (const auto& [name, value] : message.at("observed").items())
  {
    auto& samples = this->Observed[name];
    samples.push_back({ this->Step, this->Time, value.get<double>() });
    if (samples.size() > MostSamples)
    {
      samples.pop_front();
    }
  }
  this->Values.update(message.at("values"));
}

void SteeringProgram::Applied(const Outcome& outcome)
{
  this->Step = std::max(this->Step, outcome.Step);
  for (const auto& change : outcome.Changes)
  {
    this->Values[change.Name] = change.New;
  }
}

Json SteeringProgram::Describe(std::uint64_t history) const
{
  Json pending = Json::array();
  for (const auto& [number, transaction] : this->Pending)
  {
    pending.push_back(number);
  }
  Json observed = Json::object();
  for (const auto& [name, samples] : this->Observed)
  {
    Json steps = Json::array();
    Json times = Json::array();
    Json values = Json::array();
    const std::size_t shown = std::min<std::size_t>(samples.size(), history);
    for (auto sample = samples.end() - static_cast<std::ptrdiff_t>(shown); sample != samples.end();
      ++sample)
    {
      steps.push_back(sample->Step);
      times.push_back(sample->Time);
      values.push_back(sample->Value);
    }
    observed[name] = { { "steps", std::move(steps) }, { "times", std::move(times) },
      { "values", std::move(values) } };
  }
  return { { "name", this->Name }, { "state", StateName(this->Now) }, { "step", this->Step },
    { "time", this->Time }, { "paused", this->IsPaused }, { "declarations", this->Offers },
    { "values", this->Values }, { "pending", std::move(pending) },
    { "observed", std::move(observed) } };
}

}
