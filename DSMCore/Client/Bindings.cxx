// SPDX-License-Identifier: BSD-3-Clause
#include "Client/Bindings.h"

#include "Base/Error.h"
#include "Steering/ReadableText.h"

#include <fmt/ranges.h>

#include <cmath>
#include <utility>

namespace dsm
{

namespace
{
using Json = nlohmann::json;

// FNV-1a.
class Hash
{
public:
  void Mix(const std::string& text)
  {
    for (const char character : text + '\n')
    {
      this->Sum = (this->Sum ^ static_cast<unsigned char>(character)) * 0x100000001b3u;
    }
  }
  std::uint64_t Value() const { return this->Sum; }

private:
  std::uint64_t Sum = 0xcbf29ce484222325u;
};
}

void Bindings::CheckFree(const std::string& what, const std::string& name) const
{
  CheckName(what, name);
  bool taken = this->All.FindParameter(name) || this->All.FindCommand(name);
  for (const auto& observable : this->All.Observables)
  {
    taken = taken || observable.Name == name;
  }
  if (taken)
  {
    throw Error(Fault::Usage,
      "\"{}\" is declared already: names of parameters, commands and "
      "observables must differ",
      name);
  }
}

void Bindings::AddParameter(ParameterDeclaration declaration, Variable variable)
{
  this->CheckFree("parameter", declaration.Name);
  const Value now = variable.Read();
  try
  {
    declaration.Default = ValueFromJson(declaration.Type, ValueToJson(now));
  }
  catch (const Error& error)
  {
    throw Error(Fault::Usage, "\"{}\" cannot begin with {}: it {}", declaration.Name,
      ValueText(now), error.what());
  }
  this->All.Parameters.push_back(std::move(declaration));
  this->Variables.push_back(std::move(variable));
  ++this->Changes;
}

void Bindings::AddCommand(CommandDeclaration declaration, std::function<void(std::int64_t)> action)
{
  this->CheckFree("command", declaration.Name);
  this->All.Commands.push_back(std::move(declaration));
  this->Actions.push_back(std::move(action));
  this->Counts.push_back(0);
  ++this->Changes;
}

void Bindings::AddObservable(ObservableDeclaration declaration)
{
  this->CheckFree("observable", declaration.Name);
  this->All.Observables.push_back(std::move(declaration));
  ++this->Changes;
}

ParameterDeclaration& Bindings::Parameter(const std::string& name)
{
  for (auto& parameter : this->All.Parameters)
  {
    if (parameter.Name == name)
    {
      ++this->Changes;
      return parameter;
    }
  }
  throw Error(
    Fault::Usage, "no parameter \"{}\" is declared; there is {}", name, this->All.ParameterNames());
}

void Bindings::Limit(const std::string& name, double limit, bool isMinimum)
{
  ParameterDeclaration& parameter = this->Parameter(name);
  auto& where = isMinimum ? parameter.Minimum : parameter.Maximum;
  if (std::isnan(limit))
  {
    throw Error(Fault::Usage, "a limit of \"{}\" is not a number", name);
  }
  if (std::isinf(limit))
  {
    where.reset();
  }
  else if (parameter.Type == ValueType::Integer)
  {
    where = ValueFromJson(ValueType::Integer, isMinimum ? std::ceil(limit) : std::floor(limit));
  }
  else if (parameter.Type == ValueType::Real || parameter.Type == ValueType::Vector)
  {
    where = limit;
  }
  else
  {
    throw Error(
      Fault::Usage, "\"{}\" is a {}, which has no range", name, ValueTypeName(parameter.Type));
  }
}

void Bindings::SetMinimum(const std::string& name, double minimum)
{
  this->Limit(name, minimum, true);
}

void Bindings::SetMaximum(const std::string& name, double maximum)
{
  this->Limit(name, maximum, false);
}

// Sets a text of whatever bears the name; a null member: this kind has no such text.
void Bindings::Detail(const std::string& name, const std::string& text,
  std::string ParameterDeclaration::* parameter, std::string CommandDeclaration::* command,
  std::string ObservableDeclaration::* observable)
{
  const auto set = [&](auto& list, auto member)
  {
    for (auto& entry : list)
    {
      if (entry.Name == name && member)
      {
        entry.*member = ReadableText(text);
        ++this->Changes;
        return true;
      }
    }
    return false;
  };
  if (!set(this->All.Parameters, parameter) && !set(this->All.Commands, command) &&
    !set(this->All.Observables, observable))
  {
    throw Error(Fault::Usage, "\"{}\" is not declared, or has no such detail", name);
  }
}

void Bindings::SetUnit(const std::string& name, const std::string& unit)
{
  this->Detail(name, unit, &ParameterDeclaration::Unit, nullptr, &ObservableDeclaration::Unit);
}

void Bindings::SetText(const std::string& name, const std::string& text)
{
  this->Detail(name, text, &ParameterDeclaration::Text, &CommandDeclaration::Text,
    &ObservableDeclaration::Text);
}

void Bindings::SetGroup(const std::string& name, const std::string& group)
{
  this->Detail(name, group, &ParameterDeclaration::Group, &CommandDeclaration::Group,
    &ObservableDeclaration::Group);
}

void Bindings::SetMeaning(const std::string& name, const std::string& meaning)
{
  CheckMeaning(meaning);
  ParameterDeclaration& parameter = this->Parameter(name);
  if (parameter.Type != ValueType::Vector)
  {
    throw Error(Fault::Usage, "\"{}\" is a {}: only a vector has a meaning in space", name,
      ValueTypeName(parameter.Type));
  }
  parameter.Meaning = meaning;
}

void Bindings::Observe(const std::string& name, double value)
{
  for (const auto& observable : this->All.Observables)
  {
    if (observable.Name == name)
    {
      this->Observed[name] = value;
      return;
    }
  }
  throw Error(Fault::Usage, "no observable \"{}\" is declared: call dsm_observable first", name);
}

std::map<std::string, double> Bindings::TakeObserved()
{
  return std::exchange(this->Observed, {});
}

std::uint64_t Bindings::Fingerprint() const
{
  // Of what decides where a change is written and how much room it finds there: units and texts may
  // differ without harm.
  Hash hash;
  for (const auto& parameter : this->All.Parameters)
  {
    hash.Mix(parameter.Name + '\t' + ValueTypeName(parameter.Type));
    hash.Mix(fmt::format("{}\t{}", parameter.Capacity, fmt::join(parameter.Choices, "\t")));
  }
  for (const auto& command : this->All.Commands)
  {
    hash.Mix(command.Name);
  }
  return hash.Value();
}

std::vector<std::uint64_t> Bindings::ValueFingerprints() const
{
  std::vector<std::uint64_t> prints;
  for (const auto& variable : this->Variables)
  {
    Hash hash;
    hash.Mix(ValueText(variable.Read()));
    prints.push_back(hash.Value());
  }
  return prints;
}

std::vector<std::string> Bindings::Misfits() const
{
  std::vector<std::string> found;
  for (std::size_t index = 0; index < this->Variables.size(); ++index)
  {
    const auto& parameter = this->All.Parameters[index];
    try
    {
      parameter.Accept(ValueToJson(this->Variables[index].Read()));
    }
    catch (const Error& error)
    {
      found.push_back(fmt::format("\"{}\" {}", parameter.Name, error.what()));
    }
  }
  return found;
}

Json Bindings::Values() const
{
  Json values = Json::object();
  for (std::size_t index = 0; index < this->Variables.size(); ++index)
  {
    values[this->All.Parameters[index].Name] = ValueToJson(this->Variables[index].Read());
  }
  return values;
}

Json Bindings::Plan(const Transaction& transaction, Outcome& outcome, Json& ahead) const
{
  outcome.Number = transaction.Number;
  outcome.Who = transaction.Who;
  outcome.Refusals = Check(this->All, transaction);
  outcome.Applied = outcome.Refusals.empty();
  if (!outcome.Applied)
  {
    return nullptr;
  }
  Json set = Json::array();
  for (const auto& [name, json] : transaction.Set)
  {
    const auto* parameter = this->All.FindParameter(name);
    const auto index = static_cast<std::size_t>(parameter - this->All.Parameters.data());
    Json value = ValueToJson(parameter->Accept(json));
    const auto planned = ahead.find(name);
    outcome.Changes.push_back({ name,
      planned != ahead.end() ? *planned : ValueToJson(this->Variables[index].Read()), value });
    ahead[name] = value;
    set.push_back({ index, std::move(value) });
  }
  Json commands = Json::array();
  for (const auto& [name, json] : transaction.Commands)
  {
    const auto* command = this->All.FindCommand(name);
    const std::int64_t argument = command->Accept(json);
    outcome.Commands.emplace_back(name, argument);
    commands.push_back({ command - this->All.Commands.data(), argument });
  }
  return { { "set", std::move(set) }, { "commands", std::move(commands) } };
}

void Bindings::Carry(const Json& plan)
{
  for (const auto& change : plan.at("set"))
  {
    const auto index = change.at(0).get<std::size_t>();
    this->Variables.at(index).Write(
      ValueFromJson(this->All.Parameters.at(index).Type, change.at(1)));
  }
  for (const auto& command : plan.at("commands"))
  {
    const auto index = command.at(0).get<std::size_t>();
    const auto argument = command.at(1).get<std::int64_t>();
    this->Counts.at(index) += argument;
    // A copy: an action may declare another command.
    if (const auto action = this->Actions.at(index))
    {
      action(argument);
    }
  }
}

std::int64_t Bindings::Commanded(const std::string& name) const
{
  const auto* command = this->All.FindCommand(name);
  return command ? this->Counts[static_cast<std::size_t>(command - this->All.Commands.data())] : 0;
}

void Bindings::ForgetCommands()
{
  this->Counts.assign(this->Counts.size(), 0);
}

}
