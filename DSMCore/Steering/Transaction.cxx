// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/Transaction.h"

#include "Base/Error.h"

#include <algorithm>

namespace dsm
{

namespace
{
using Json = nlohmann::json;

template <typename Declaration>
void CheckOne(const Declaration* declared, const std::string& what, const std::string& names,
  const std::pair<std::string, Json>& asked, std::vector<Refusal>& refusals)
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

void to_json(Json& json, const Transaction& value)
{
  json = { { "number", value.Number }, { "who", value.Who }, { "set", value.Set },
    { "commands", value.Commands } };
}

void from_json(const Json& json, Transaction& value)
{
  json.at("number").get_to(value.Number);
  json.at("who").get_to(value.Who);
  json.at("set").get_to(value.Set);
  json.at("commands").get_to(value.Commands);
}

void to_json(Json& json, const Outcome& value)
{
  Json changes = Json::array();
  for (const auto& change : value.Changes)
  {
    changes.push_back({ { "name", change.Name }, { "old", change.Old }, { "new", change.New } });
  }
  Json commands = Json::array();
  for (const auto& [name, argument] : value.Commands)
  {
    commands.push_back({ { "name", name }, { "argument", argument } });
  }
  Json refusals = Json::array();
  for (const auto& refusal : value.Refusals)
  {
    refusals.push_back({ { "name", refusal.Name }, { "reason", refusal.Reason } });
  }
  json = { { "transaction", value.Number }, { "who", value.Who },
    { "state", value.Applied ? "applied" : "refused" }, { "step", value.Step },
    { "time", value.Time }, { "changes", std::move(changes) }, { "commands", std::move(commands) },
    { "refusals", std::move(refusals) } };
  if (!value.Detail.is_null())
  {
    json["detail"] = value.Detail;
  }
}

void from_json(const Json& json, Outcome& value)
{
  json.at("transaction").get_to(value.Number);
  json.at("who").get_to(value.Who);
  value.Applied = json.at("state") == "applied";
  value.Detail = json.value("detail", Json());
  json.at("step").get_to(value.Step);
  json.at("time").get_to(value.Time);
  for (const auto& change : json.at("changes"))
  {
    value.Changes.push_back(
      { change.at("name").get<std::string>(), change.at("old"), change.at("new") });
  }
  for (const auto& command : json.at("commands"))
  {
    value.Commands.emplace_back(
      command.at("name").get<std::string>(), command.at("argument").get<std::int64_t>());
  }
  for (const auto& refusal : json.at("refusals"))
  {
    value.Refusals.push_back(
      { refusal.at("name").get<std::string>(), refusal.at("reason").get<std::string>() });
  }
}

}
