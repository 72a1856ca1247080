// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Steering/Transaction.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dsm
{

/// What a simulation declared on this rank, and its variables behind it. All ranks declare the
/// same, so that a change travels as the parameter's index and the value.
class Bindings
{
public:
  struct Variable
  {
    std::function<Value()> Read;
    std::function<void(const Value&)> Write;
  };

  /// Throw Error(Usage) for a name that is taken or unknown, or a detail that does not fit.
  void AddParameter(ParameterDeclaration declaration, Variable variable);
  void AddCommand(CommandDeclaration declaration, std::function<void(std::int64_t)> action);
  void AddObservable(ObservableDeclaration declaration);
  void SetMinimum(const std::string& name, double minimum);
  void SetMaximum(const std::string& name, double maximum);
  void SetUnit(const std::string& name, const std::string& unit);
  void SetText(const std::string& name, const std::string& text);
  void SetGroup(const std::string& name, const std::string& group);
  void SetMeaning(const std::string& name, const std::string& meaning);

  /// Sets the sizes of an array, which the ranks have found out together. Does not count as a
  /// change of what was declared.
  void SetSizes(const std::string& name, std::vector<std::uint64_t> sizes);

  bool HasParameter(const std::string& name) const { return this->All.FindParameter(name); }

  /// Notes an observable's value; throws Error(Usage) for an unknown one.
  void Observe(const std::string& name, double value);

  const Declarations& Declared() const { return this->All; }

  /// Grows with each declaration.
  std::uint64_t Revision() const { return this->Changes; }

  /// Equal on ranks that declared the same.
  std::uint64_t Fingerprint() const;

  /// A hash of each variable's value now, in the order of declaration: to compare ranks.
  std::vector<std::uint64_t> ValueFingerprints() const;

  /// As text: the variables whose values lie outside their own range.
  std::vector<std::string> OutOfRange() const;

  /// The variables' values now, by name.
  NamedValues Values() const;

  /// Takes the observables noted since the last time.
  std::map<std::string, double> TakeObserved();

  /// Carries out the bytes of a ChangePlan, on every rank: changes variables and acts on commands.
  /// What the variables held goes to `before`, if it is given.
  void Apply(const std::string& plan, std::vector<Value>* before);

  /// How often a command came since ForgetCommands (the sum of its arguments).
  std::int64_t Commanded(const std::string& name) const;
  void ForgetCommands();
  void ForgetCommand(const std::string& name);

  /// Returns whether Apply has changed a parameter since ForgetCommands.
  bool HasChanged(const std::string& name) const { return this->Changed.contains(name); }

private:
  ParameterDeclaration& Parameter(const std::string& name);
  void CheckFree(const std::string& what, const std::string& name) const;
  void Limit(const std::string& name, double limit, bool isMinimum);
  void Detail(const std::string& name, const std::string& text,
    std::string ParameterDeclaration::* parameter, std::string CommandDeclaration::* command,
    std::string ObservableDeclaration::* observable);

  Declarations All;
  std::vector<Variable> Variables;
  std::vector<std::function<void(std::int64_t)>> Actions;
  std::vector<std::int64_t> Counts;
  std::set<std::string> Changed; ///< parameters, by Apply
  std::map<std::string, double> Observed;
  std::uint64_t Changes = 0;
};

}
