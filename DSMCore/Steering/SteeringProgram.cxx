// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/SteeringProgram.h"

#include "Base/Error.h"

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
  this->Last = { outcome.Step, outcome.Number, this->Last.Count + 1 };
  const auto touch = [&](const std::string& name)
  {
    Touch& touched = this->Touched[name];
    touched = { outcome.Step, outcome.Number, touched.Count + 1 };
  };
  for (const auto& change : outcome.Changes)
  {
    this->Values[change.Name] = change.New;
    touch(change.Name);
  }
  for (const auto& [name, argument] : outcome.Commands)
  {
    touch(name);
  }
}

void SteeringProgram::DeclareServed(Declarations offered)
{
  Json values = Json::object();
  for (const auto& parameter : offered.Parameters)
  {
    values[parameter.Name] = ValueToJson(parameter.Default);
    if (!this->Values.contains(parameter.Name))
    {
      continue;
    }
    try
    {
      values[parameter.Name] = ValueToJson(parameter.Accept(this->Values.at(parameter.Name)));
    }
    catch (const Error&)
    {
      this->Touched.erase(parameter.Name); // it begins anew with its default
    }
  }
  this->Offers = std::move(offered);
  this->Values = std::move(values);
}

Outcome SteeringProgram::Take(const Transaction& transaction, std::int64_t step, double time)
{
  Outcome outcome;
  outcome.Number = transaction.Number;
  outcome.Who = transaction.Who;
  outcome.Step = step;
  outcome.Time = time;
  outcome.Refusals = Check(this->Offers, transaction);
  if (!outcome.Refusals.empty())
  {
    return outcome; // what is offered has changed since
  }
  outcome.Applied = true;
  for (const auto& [name, value] : transaction.Set)
  {
    outcome.Changes.push_back({ name, this->Values.at(name),
      ValueToJson(this->Offers.FindParameter(name)->Accept(value)) });
  }
  for (const auto& [name, argument] : transaction.Commands)
  {
    outcome.Commands.emplace_back(name, this->Offers.FindCommand(name)->Accept(argument));
  }
  this->Applied(outcome);
  return outcome;
}

// A declaration with what became of it.
Json SteeringProgram::Shown(Json entry) const
{
  const auto found = this->Touched.find(entry.at("name").get<std::string>());
  const Touch touched = found == this->Touched.end() ? Touch() : found->second;
  entry["step"] = touched.Step;
  entry["change"] = touched.Number;
  entry["count"] = touched.Count;
  return entry;
}

Json SteeringProgram::Interactions() const
{
  Json parameters = Json::array();
  for (const auto& parameter : this->Offers.Parameters)
  {
    Json shown = this->Shown(parameter);
    shown["value"] = this->Values.value(parameter.Name, shown.at("default"));
    parameters.push_back(std::move(shown));
  }
  Json commands = Json::array();
  for (const auto& command : this->Offers.Commands)
  {
    commands.push_back(this->Shown(command));
  }
  return { { "program", this->Name }, { "parameters", std::move(parameters) },
    { "commands", std::move(commands) }, { "step", this->Last.Step },
    { "change", this->Last.Number } };
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
