// SPDX-License-Identifier: BSD-3-Clause
#include "Client/Bindings.h"

#include "Base/Error.h"
#include "Client/ChangePlan.h"
#include "Steering/ReadableText.h"

#include <fmt/ranges.h>

#include <cmath>
#include <utility>

namespace dsm
{

namespace
{
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
    declaration.Default = ToValue(declaration.Type, ToPlainValue(now));
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
    where = ToValue(ValueType::Integer, isMinimum ? std::ceil(limit) : std::floor(limit));
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

void Bindings::SetSizes(const std::string& name, std::vector<std::uint64_t> sizes)
{
  this->Parameter(name).Array.Sizes = std::move(sizes);
  --this->Changes;
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
    hash.Mix(parameter.Type == ValueType::Array ? parameter.Array.Text() : "");
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

std::vector<std::string> Bindings::OutOfRange() const
{
  std::vector<std::string> found;
  for (std::size_t index = 0; index < this->Variables.size(); ++index)
  {
    const auto& parameter = this->All.Parameters[index];
    if (parameter.Type == ValueType::Array)
    {
      continue; // the program's own is no array that was sent
    }
    try
    {
      parameter.Accept(ToPlainValue(this->Variables[index].Read()));
    }
    catch (const Error& error)
    {
      found.push_back(fmt::format("\"{}\" {}", parameter.Name, error.what()));
    }
  }
  return found;
}

NamedValues Bindings::Values() const
{
  NamedValues values;
  for (std::size_t index = 0; index < this->Variables.size(); ++index)
  {
    values[this->All.Parameters[index].Name] = ToPlainValue(this->Variables[index].Read());
  }
  return values;
}

void Bindings::Apply(const std::string& plan, std::vector<Value>* before)
{
  for (ChangeReader reader(plan); reader.Next();)
  {
    const std::size_t index = reader.Index();
    if (reader.IsCommand())
    {
      this->Counts.at(index) += reader.Argument();
      // A copy: an action may declare another command.
      if (const auto action = this->Actions[index])
      {
        action(reader.Argument());
      }
      continue;
    }
    const Variable& variable = this->Variables.at(index);
    if (before)
    {
      before->push_back(variable.Read());
    }
    variable.Write(reader.Content());
    this->Changed.insert(this->All.Parameters[index].Name);
  }
}

std::int64_t Bindings::Commanded(const std::string& name) const
{
  const auto* command = this->All.FindCommand(name);
  return command ? this->Counts[static_cast<std::size_t>(command - this->All.Commands.data())] : 0;
}

void Bindings::ForgetCommand(const std::string& name)
{
  if (const auto* command = this->All.FindCommand(name))
  {
    this->Counts[static_cast<std::size_t>(command - this->All.Commands.data())] = 0;
  }
}

void Bindings::ForgetCommands()
{
  this->Changed.clear();
  this->Counts.assign(this->Counts.size(), 0);
}

}
