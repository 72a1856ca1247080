// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/SteeringPrograms.h"

#include "Base/Error.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace dsm
{

namespace
{
constexpr std::size_t MostPrograms = 16;
}

SteeringProgram* SteeringPrograms::ByPeer(const std::string& peer)
{
  const auto found = std::find_if(this->Programs.begin(), this->Programs.end(),
    [&](const auto& program) { return program.Peer == peer; });
  return found == this->Programs.end() ? nullptr : &*found;
}

std::string SteeringPrograms::FreeName(const std::string& program) const
{
  const auto taken = [this](const std::string& name)
  {
    return std::any_of(this->Programs.begin(), this->Programs.end(),
      [&](const auto& known) { return known.Name == name; });
  };
  std::string name = program;
  for (int count = 2; taken(name); ++count)
  {
    name = fmt::format("{} {}", program, count);
  }
  return name;
}

// A run that is over makes way for the next of its name; and there is an end to how many are kept.
std::vector<SteeringProgram> SteeringPrograms::TakePredecessors(const std::string& program)
{
  std::vector<SteeringProgram> taken;
  std::size_t surplus = this->Programs.size() < MostPrograms ? 0 : 1;
  for (auto known = this->Programs.begin(); known != this->Programs.end();)
  {
    const bool over = known->Now != SteeringProgram::State::Connected;
    if (over && (known->Program == program || surplus > 0))
    {
      surplus = 0;
      taken.push_back(std::move(*known));
      known = this->Programs.erase(known);
    }
    else
    {
      ++known;
    }
  }
  return taken;
}

SteeringProgram& SteeringPrograms::Declare(
  const DeclareProgram& message, std::vector<SteeringProgram>& replaced)
{
  auto known = std::find_if(this->Programs.begin(), this->Programs.end(),
    [&](const auto& program) { return program.Instance == message.Instance; });
  if (known == this->Programs.end())
  {
    replaced = this->TakePredecessors(message.Program);
    SteeringProgram made;
    made.Program = message.Program;
    made.Instance = message.Instance;
    made.Name = this->FreeName(made.Program);
    this->Programs.push_back(std::move(made));
    known = this->Programs.end() - 1;
  }
  known->Declare(message);
  return *known;
}

SteeringProgram& SteeringPrograms::DeclarePolling(
  const std::string& program, Declarations offered, std::vector<SteeringProgram>& replaced)
{
  auto known = std::find_if(this->Programs.begin(), this->Programs.end(),
    [&](const auto& one) { return one.Polls && one.Name == program; });
  if (known == this->Programs.end())
  {
    replaced = this->TakePredecessors(program);
    SteeringProgram made;
    made.Polls = true;
    made.Program = program;
    made.Name = this->FreeName(program);
    made.Instance = "declared here: " + made.Name;
    this->Programs.push_back(std::move(made));
    known = this->Programs.end() - 1;
  }
  known->DeclarePolling(std::move(offered));
  return *known;
}

SteeringProgram& SteeringPrograms::Chosen(const std::string& name)
{
  std::string names;
  for (SteeringProgram& program : std::views::reverse(this->Programs))
  {
    const bool over = program.Now == SteeringProgram::State::Ended;
    if (name.empty() ? !over : program.Name == name)
    {
      return program;
    }
    names += (names.empty() ? "" : ", ") + program.Name;
  }
  if (name.empty())
  {
    throw Error(Fault::Refused,
      "no simulation that can be steered is connected: it calls dsm_open, and dsm_step in its "
      "time loop (dsm.h)");
  }
  throw Error(Fault::Refused, "no simulation called {} can be steered: there is {}", name,
    names.empty() ? "none" : names);
}

SteeringProgram* SteeringPrograms::FindForReading(const std::string& name)
{
  SteeringProgram* found = nullptr;
  for (SteeringProgram& program : this->Programs)
  {
    const bool fits =
      name.empty() ? program.Now != SteeringProgram::State::Ended : program.Name == name;
    if (fits && (!found || program.Polls || !found->Polls))
    {
      found = &program;
    }
  }
  return found;
}

bool SteeringPrograms::IsPending(std::uint64_t transaction) const
{
  return std::any_of(this->Programs.begin(), this->Programs.end(),
    [&](const auto& program) { return program.Pending.contains(transaction); });
}

}
