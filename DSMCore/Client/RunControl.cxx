// SPDX-License-Identifier: BSD-3-Clause
#include "Client/RunControl.h"

#include "Base/Error.h"

#include <utility>

namespace dsm
{

namespace
{
constexpr const char* Group = "Run";
constexpr const char* WriteSnapshot = "write snapshot";
constexpr const char* WriteToDisk = "write to disk";
}

RunControl::RunControl(Bindings& bindings)
  : Known(bindings)
{
  bindings.AddCommand({ "pause", "wait in the next dsm_step", Group, false },
    [this](std::int64_t)
    {
      this->Pause = true;
      this->StepsToGo = 0;
    });
  bindings.AddCommand({ "resume", "go on", Group, false },
    [this](std::int64_t)
    {
      this->Pause = false;
      this->StepsToGo = 0;
    });
  bindings.AddCommand({ "advance", "go on for some steps, then pause", Group, true },
    [this](std::int64_t steps)
    {
      this->Pause = false;
      this->StepsToGo = steps;
    });
  bindings.AddCommand({ "pause at", "pause at a step, or now if that has passed", Group, true },
    [this](std::int64_t step)
    {
      this->Pause = this->Pause || step <= this->Step;
      this->PauseStep = step > this->Step ? step : 0;
    });
  bindings.AddCommand(
    { "stop", "end in good order", Group, false }, [this](std::int64_t) { this->Stop = true; });
  bindings.AddCommand(
    { WriteToDisk, "have the hosts save the snapshot of this step as a file", Group, false },
    [this](std::int64_t) { this->ToDisk = true; });
}

void RunControl::BeginStep(std::int64_t step)
{
  this->Step = step;
  if (this->StepsToGo > 0)
  {
    --this->StepsToGo;
    if (this->StepsToGo == 0)
    {
      this->Pause = true;
    }
  }
  if (this->PauseStep > 0 && step >= this->PauseStep)
  {
    this->Pause = true;
    this->StepsToGo = 0;
    this->PauseStep = 0;
  }
}

void RunControl::OfferOutput(std::int64_t interval)
{
  if (interval < 0)
  {
    throw Error(
      Fault::Usage, "an output interval counts steps from 0 (never) on, not {}", interval);
  }
  this->Interval = interval;
  if (this->HasOutput)
  {
    return;
  }
  ParameterDeclaration declaration;
  declaration.Name = "output interval";
  declaration.Type = ValueType::Integer;
  declaration.Minimum = std::int64_t(0);
  declaration.Unit = "steps";
  declaration.Text = "steps from one snapshot to the next; 0: only when commanded";
  declaration.Group = Group;
  this->Known.AddParameter(std::move(declaration),
    { [this] { return Value(this->Interval); },
      [this](const Value& value) { this->Interval = std::get<std::int64_t>(value); } });
  this->Known.AddCommand({ WriteSnapshot, "write this step", Group, false }, {});
  this->HasOutput = true;
}

bool RunControl::OutputAsked() const
{
  return this->Known.Commanded(WriteSnapshot) > 0 || this->Known.Commanded(WriteToDisk) > 0;
}

bool RunControl::OutputDue() const
{
  return (this->Interval > 0 && this->Step % this->Interval == 0) || this->OutputAsked();
}

void RunControl::WriteWhilePaused()
{
  if (this->Paused() && this->Writer && this->OutputAsked())
  {
    this->Writer();
    this->Known.ForgetCommand(WriteSnapshot);
    this->Known.ForgetCommand(WriteToDisk);
  }
}

void RunControl::Explain(std::vector<Outcome>& outcomes) const
{
  if (!this->Paused() || this->Writer || !this->HasOutput)
  {
    return;
  }
  for (Outcome& outcome : outcomes)
  {
    for (const auto& command : outcome.Commands)
    {
      if (command.first == WriteSnapshot || command.first == WriteToDisk)
      {
        outcome.Detail.emplace().Note =
          "the snapshot will be written when the run goes on: resume, or advance";
      }
    }
  }
}

std::string RunControl::TakeDiskOrder()
{
  return !std::exchange(this->ToDisk, false) ? "" : this->HasOutput ? "next" : "newest";
}

std::uint64_t RunControl::DiskOrder(const std::vector<Outcome>& outcomes)
{
  std::uint64_t number = 0;
  for (const Outcome& outcome : outcomes)
  {
    for (const auto& command : outcome.Commands)
    {
      number = command.first == WriteToDisk ? outcome.Number : number;
    }
  }
  return number;
}

bool RunControl::Enabled(const std::string& path)
{
  if (path.empty() || path.front() != '/')
  {
    throw Error(Fault::Usage, "\"{}\" is no path in a file: it begins with a slash", path);
  }
  const auto [entry, isNew] = this->Datasets.try_emplace(path, true);
  if (isNew)
  {
    ParameterDeclaration declaration;
    declaration.Name = path;
    declaration.Type = ValueType::Bool;
    declaration.Text = "whether it is written";
    declaration.Group = "Datasets";
    bool& enabled = entry->second;
    this->Known.AddParameter(std::move(declaration),
      { [&enabled] { return Value(enabled); },
        [&enabled](const Value& value) { enabled = std::get<bool>(value); } });
  }
  for (std::size_t end = path.size(); end != std::string::npos && end > 0;
    end = path.rfind('/', end - 1))
  {
    const auto holder = this->Datasets.find(path.substr(0, end));
    if (holder != this->Datasets.end() && !holder->second)
    {
      return false;
    }
  }
  return true;
}

bool RunControl::OnlyTiming(const std::string& command)
{
  return command == "pause" || command == "resume" || command == "advance" || command == "pause at";
}

}
