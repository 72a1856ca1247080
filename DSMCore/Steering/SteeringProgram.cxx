// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/SteeringProgram.h"

#include "Base/Error.h"

#include <algorithm>

namespace dsm
{

namespace
{
// At 20 samples a second these are more than eight minutes.
constexpr std::size_t MostSamples = 10000;

const char* StateName(SteeringProgram::State state)
{
  return state == SteeringProgram::State::Connected ? "connected"
    : state == SteeringProgram::State::Lost         ? "lost"
                                                    : "ended";
}
}

void SteeringProgram::Declare(const DeclareProgram& message)
{
  this->Offers = message.Offered;
  this->Values = message.Values;
}

void SteeringProgram::Progress(const ReportProgress& message)
{
  this->Step = message.Step;
  this->Time = message.Time;
  this->IsPaused = message.Paused;
  this->LastStep = message.LastStep;
  this->SecondsLeft = message.SecondsLeft;
  if (!this->IsPaused)
  {
    this->PausedBy.clear();
  }
  for (const auto& [name, value] : message.Observed)
  {
    auto& samples = this->Observed[name];
    samples.push_back({ this->Step, this->Time, value });
    if (samples.size() > MostSamples)
    {
      samples.pop_front();
    }
  }
  for (const auto& [name, value] : message.Values)
  {
    this->Values[name] = value;
  }
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

void SteeringProgram::DeclarePolling(Declarations offered)
{
  NamedValues values;
  for (const auto& parameter : offered.Parameters)
  {
    values[parameter.Name] = ToPlainValue(parameter.Default);
    const auto before = this->Values.find(parameter.Name);
    if (before == this->Values.end())
    {
      continue;
    }
    try
    {
      values[parameter.Name] = ToPlainValue(parameter.Accept(before->second));
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
      ToPlainValue(this->Offers.FindParameter(name)->Accept(value)) });
  }
  for (const auto& [name, argument] : transaction.Commands)
  {
    outcome.Commands.emplace_back(name, this->Offers.FindCommand(name)->Accept(argument));
  }
  this->Applied(outcome);
  return outcome;
}

SteeringProgram::Touch SteeringProgram::LastTouch(const std::string& name) const
{
  const auto found = this->Touched.find(name);
  return found == this->Touched.end() ? Touch() : found->second;
}

ProgramInteractions SteeringProgram::Interactions() const
{
  ProgramInteractions seen;
  seen.Program = this->Name;
  seen.Step = this->Last.Step;
  seen.Change = this->Last.Number;
  for (const auto& parameter : this->Offers.Parameters)
  {
    const Touch touch = this->LastTouch(parameter.Name);
    const auto value = this->Values.find(parameter.Name);
    seen.Parameters.push_back(
      { parameter, value == this->Values.end() ? ToPlainValue(parameter.Default) : value->second,
        touch.Step, touch.Number });
  }
  for (const auto& command : this->Offers.Commands)
  {
    const Touch touch = this->LastTouch(command.Name);
    seen.Commands.push_back({ command, touch.Step, touch.Number, touch.Count });
  }
  return seen;
}

ProgramStatus SteeringProgram::Status(std::uint64_t history) const
{
  ProgramStatus status;
  status.Name = this->Name;
  status.State = StateName(this->Now);
  status.Step = this->Step;
  status.Time = this->Time;
  status.Paused = this->IsPaused;
  status.LastStep = this->LastStep;
  status.SecondsLeft = this->SecondsLeft;
  status.Offered = this->Offers;
  status.Values = this->Values;
  for (const auto& [number, transaction] : this->Pending)
  {
    status.Pending.push_back(number);
  }
  for (const auto& [name, samples] : this->Observed)
  {
    ObservedSeries& series = status.Observed[name];
    const std::size_t shown = std::min<std::size_t>(samples.size(), history);
    for (auto sample = samples.end() - static_cast<std::ptrdiff_t>(shown); sample != samples.end();
      ++sample)
    {
      series.Steps.push_back(sample->Step);
      series.Times.push_back(sample->Time);
      series.Values.push_back(sample->Value);
    }
  }
  return status;
}

}
