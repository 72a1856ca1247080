// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/Transaction.h"

#include "Base/Error.h"
#include "Encoding/Fields.h"

#include <algorithm>

namespace dsm
{

namespace
{
template <typename Declaration>
void CheckOne(const Declaration* declared, const std::string& what, const std::string& names,
  const std::pair<std::string, PlainValue>& asked, std::vector<Refusal>& refusals)
{
  if (!declared)
  {
    refusals.push_back({ asked.first,
      fmt::format("the simulation has no {} of this name; it has {}", what, names) });
    return;
  }
  try
  {
    declared->Accept(asked.second);
  }
  catch (const Error& error)
  {
    refusals.push_back({ asked.first, error.what() });
  }
}
}

std::vector<std::pair<std::string, std::string>> ArraysOf(
  const Declarations& offered, const Transaction& transaction)
{
  std::vector<std::pair<std::string, std::string>> arrays;
  for (const auto& [name, plain] : transaction.Set)
  {
    const auto* parameter = offered.FindParameter(name);
    const auto* text = std::get_if<std::string>(&plain);
    if (parameter && text && parameter->Type == ValueType::Array)
    {
      arrays.emplace_back(name, *text);
    }
  }
  return arrays;
}

std::vector<Refusal> Check(const Declarations& offered, const Transaction& transaction)
{
  std::vector<Refusal> refusals;
  for (const auto& asked : transaction.Set)
  {
    CheckOne(
      offered.FindParameter(asked.first), "parameter", offered.ParameterNames(), asked, refusals);
  }
  for (const auto& asked : transaction.Commands)
  {
    CheckOne(offered.FindCommand(asked.first), "command", offered.CommandNames(), asked, refusals);
  }
  return refusals;
}

namespace
{
/// A name with what belongs to it, as an object of two fields.
template <typename T>
void DescribePairs(Fields& fields, const char* name, const char* second,
  std::vector<std::pair<std::string, T>>& pairs)
{
  fields.List(name, pairs,
    [&](std::pair<std::string, T>& pair)
    {
      fields.Record(nullptr,
        [&]
        {
          fields("name", pair.first);
          fields(second, pair.second);
        });
    });
}
}

void Describe(Fields& fields, Transaction& transaction)
{
  fields("number", transaction.Number);
  fields("who", transaction.Who);
  DescribePairs(fields, "set", "value", transaction.Set);
  DescribePairs(fields, "commands", "argument", transaction.Commands);
}

void Describe(Fields& fields, Refusal& refusal)
{
  fields("name", refusal.Name);
  fields("reason", refusal.Reason);
}

void Describe(Fields& fields, Outcome::Change& change)
{
  fields("name", change.Name);
  fields("old", change.Old);
  fields("new", change.New);
}

void Describe(Fields& fields, Outcome::Information& detail)
{
  fields("path", detail.Path);
  fields("snapshot", detail.Snapshot);
  fields("file", detail.File);
  fields("bytes", detail.Bytes);
  fields("note", detail.Note);
}

void Describe(Fields& fields, Outcome& outcome)
{
  fields("transaction", outcome.Number);
  fields("who", outcome.Who);
  fields.AsText(
    "state", outcome.Applied, [](bool applied) { return applied ? "applied" : "refused"; },
    [](const std::string& state) { return state == "applied"; });
  fields("step", outcome.Step);
  fields("time", outcome.Time);
  fields("changes", outcome.Changes);
  DescribePairs(fields, "commands", "argument", outcome.Commands);
  fields("refusals", outcome.Refusals);
  fields("detail", outcome.Detail);
}

}
