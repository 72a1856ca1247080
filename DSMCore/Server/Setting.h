// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/ServerOptions.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// The kind of a setting's value, and thereby how people enter it.
enum class SettingKind
{
  Text,      ///< any text
  Word,      ///< one of Choices
  Strategy,  ///< the name of one of Strategies()
  Transport, ///< what TransportFromText takes
  Choice,    ///< one of Choices; ParaView's property has its place in the list
  Flag,      ///< "0" or "1"
  Count,     ///< a whole number
  Bytes,     ///< a size; ParaView's property has it as a multiple of Step
  Seconds    ///< a time
};

/// When a change takes effect while the server runs.
enum class SettingEffect
{
  NextStart,
  NextFile,
  AtOnce
};

struct SettingChoice
{
  std::string Word;    ///< on the command line and in scripts: "flush"
  std::string Label;   ///< in the panel: "also at each flush"
  std::string Entry{}; ///< the value of the property in Python: "on close and flush"; empty: Label
};

/// A setting has no meaning unless another one has (or has not) some value.
struct SettingCondition
{
  std::string Name; ///< of the other setting
  std::string Words;
  bool Inverse = false;
  bool IsUnusedOtherwise = false; ///< the value is ignored then, not only shown as disabled
};

/// One setting of a server: its names, what can be entered, and where it lies in ServerOptions.
/// ServerSettings() lists all. The properties of ParaView's proxy, the options of dsm-serve, the
/// arguments of paraviewdsm.Server and Documentation/Settings.md are made from these records.
///
/// A value has two forms. In *words* it is what people write on a command line: "64 KiB", "drop
/// oldest". As a *property* it is what ParaView's property has, as text: "65536", "0".
struct Setting
{
  std::string Name{};  ///< of ParaView's property: "MemoryPerHost"
  std::string Label{}; ///< for people: "Memory Per Host"
  /// ParaView makes the property's name in Python from this. It never changes; empty: Label.
  std::string PropertyLabel{};
  std::string Group{};       ///< the heading in the panel
  std::string Word{};        ///< option and argument: "memory-per-host"; empty: it has neither
  bool HasOption = true;     ///< false: ParaView alone has it, dsm-serve does not
  std::string Environment{}; ///< the variable that the automatic value takes; empty: none
  std::string Effective{};   ///< the information property with the value in force; empty: none
  bool Advanced = false;

  SettingKind Kind = SettingKind::Text;
  std::vector<SettingChoice> Choices{};
  std::string Default{};             ///< in words
  std::optional<std::string> Zero{}; ///< what people may enter for 0
  std::string ZeroLabel{};           ///< what the panel calls 0; empty: Zero
  std::string Presets{};             ///< sizes that the panel suggests, with ';' between them
  std::int64_t Step = 1;             ///< of Bytes as a property
  double Most = static_cast<double>(std::numeric_limits<std::int64_t>::max());
  std::optional<SettingCondition> Condition{};

  SettingEffect Effect = SettingEffect::NextFile;
  std::string EffectText{}; ///< a sentence in place of the usual one
  std::string Help{};       ///< sentences

  /// The value in `options`, in words; none when it is not known there.
  std::function<std::optional<std::string>(const ServerOptions& options)> Read =
    [](const ServerOptions&) { return std::nullopt; };
  /// The inverse, of words that Write has checked; empty: the setting is no server's.
  std::function<void(ServerOptions& options, const std::string& words)> Store{};

  /// Stores what somebody has entered. Throws Error(Usage) that begins with `what`.
  void Write(ServerOptions& options, const std::string& words, const std::string& what) const;

  /// The forms of a value. Throws Error(Usage) that begins with the label.
  std::string WordsOf(const std::string& property) const;
  std::string PropertyOf(const std::string& words) const;

  /// The help with the sentence that says when a change takes effect.
  std::string FullHelp() const;

  bool IsNumber() const { return this->Kind >= SettingKind::Choice; }
};

/// All that a program needs which shows settings; for writing only.
void Describe(Fields& fields, Setting& setting);

}
