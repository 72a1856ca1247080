// SPDX-License-Identifier: BSD-3-Clause
// The steering desk's part for programs that do not link us: what they let be changed is declared
// here, by a viewer, and they look at it when they open "…#Interactions" (Driver/Interactions).
#include "Steering/SteeringDesk.h"

#include "Base/Log.h"
#include "Steering/DeclarationText.h"

#include <algorithm>
#include <utility>

namespace dsm
{

// Declares, or declares anew: values that still fit stay.
SteeringDesk::Json SteeringDesk::DeclareServed(const Json& request)
{
  const auto name = request.value("program", std::string());
  const std::string program = name.empty() ? "simulation" : name;
  CheckName("program", program);
  Declarations offered = DeclarationsFromText(request.value("declarations", Json::object()));
  auto known = std::find_if(this->Programs.begin(), this->Programs.end(),
    [&](const auto& one) { return one.Served && one.Name == program; });
  if (known == this->Programs.end())
  {
    this->ForgetPredecessors(program);
    SteeringProgram made;
    made.Served = true;
    made.Program = program;
    made.Name = this->FreeName(program);
    made.Instance = "declared here: " + made.Name;
    this->Programs.push_back(std::move(made));
    known = this->Programs.end() - 1;
  }
  known->DeclareServed(std::move(offered));
  Log().info("{} can be steered as declared here: {} parameters, {} commands", known->Name,
    known->Offered().Parameters.size(), known->Offered().Commands.size());
  this->Changed.notify_all();
  return { { "program", known->Name }, { "state", "declared" } };
}

// A program looks: what waited for it takes effect now, unless it only peeks.
SteeringDesk::Json SteeringDesk::Look(const Json& message, double step)
{
  const auto wanted = message.value("program", std::string());
  SteeringProgram* found = nullptr;
  for (SteeringProgram& program : this->Programs)
  {
    const bool fits =
      wanted.empty() ? program.Now != SteeringProgram::State::Ended : program.Name == wanted;
    // What was declared for this very purpose goes first; else the one that connected last.
    if (fits && (!found || program.Served || !found->Served))
    {
      found = &program;
    }
  }
  if (!found)
  {
    return { { "program", wanted }, { "parameters", Json::array() }, { "commands", Json::array() },
      { "step", -1 }, { "change", 0 } };
  }
  if (found->Served && !message.value("peek", false))
  {
    for (auto& [number, transaction] : std::exchange(found->Pending, {}))
    {
      Outcome outcome = found->Take(transaction, static_cast<std::int64_t>(step), step);
      if (outcome.Applied)
      {
        this->Book.Add(found->Name, outcome);
      }
      this->Settle(std::move(outcome));
    }
  }
  return found->Interactions();
}

}
