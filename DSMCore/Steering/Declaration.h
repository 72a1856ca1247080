// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Steering/SentArray.h"
#include "Steering/Value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

class Fields;

/// A quantity of the simulation that may be changed.
struct ParameterDeclaration
{
  std::string Name;
  ValueType Type = ValueType::Real;
  Value Default;
  std::optional<Value> Minimum; ///< int64 or double, as the type; of each component of a vector
  std::optional<Value> Maximum;
  std::vector<std::string> Choices; ///< of an enumeration
  std::uint64_t Capacity = 0;       ///< most bytes of a text; 0: no limit
  ArrayShape Array;                 ///< of an array
  std::string Unit;
  std::string Text; ///< for people: what it does
  std::string Group;
  /// How a vector is to be handled in 3-D: "position", "direction", "plane origin", "plane normal",
  /// "box minimum", "box maximum". Those of a plane or box belong together by their group.
  std::string Meaning;

  /// The value as this parameter holds it. Throws Error(Refused) with the reason, which begins
  /// behind the parameter's name: "expects a number, not \"x\"", "is out of range (maximum is 0.1
  /// 1/s)".
  Value Accept(const PlainValue& value) const;
};

/// Something the simulation can be told to do.
struct CommandDeclaration
{
  std::string Name;
  std::string Text;
  std::string Group;
  bool TakesCount = false; ///< has a whole number from 1 on as argument, as "advance" has

  /// The argument to use: 1 where none is given. Throws Error(Refused) with the reason.
  std::int64_t Accept(const PlainValue& argument) const;
};

/// A number the simulation reports.
struct ObservableDeclaration
{
  std::string Name;
  std::string Unit;
  std::string Text;
  std::string Group;
};

/// All that a simulation offers.
struct Declarations
{
  std::vector<ParameterDeclaration> Parameters;
  std::vector<CommandDeclaration> Commands;
  std::vector<ObservableDeclaration> Observables;

  const ParameterDeclaration* FindParameter(const std::string& name) const;
  const CommandDeclaration* FindCommand(const std::string& name) const;

  /// The names there are, for messages about one that is not.
  std::string ParameterNames() const;
  std::string CommandNames() const;
};

/// Names appear in logs, scripts and panels. Throws Error(Usage) unless `name` has 1 to 200 bytes
/// of UTF-8 and none of them is a control character.
void CheckName(const std::string& what, const std::string& name);

/// Throws Error(Usage) for a meaning that no viewer knows.
void CheckMeaning(const std::string& meaning);

void Describe(Fields&, ParameterDeclaration&);
void Describe(Fields&, CommandDeclaration&);
void Describe(Fields&, ObservableDeclaration&);
void Describe(Fields&, Declarations&);

}
