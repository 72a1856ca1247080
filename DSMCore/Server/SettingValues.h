// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/ServerOptions.h"

#include <map>
#include <string>

namespace dsm
{

struct Setting;

/// The settings as somebody has entered them in ParaView: the values of properties, by the
/// setting's name, as text. Nothing is checked before Options. A setting without a value, or with
/// its default, leaves the choice to this machine (OptionsByDefault).
class SettingValues
{
public:
  void Set(const std::string& name, const std::string& property) { this->Values[name] = property; }

  /// Empty: it was never set.
  std::string Get(const std::string& name) const;

  /// Of a flag.
  bool IsOn(const std::string& name) const;

  /// The options that a server would start with. Throws Error(Usage).
  ServerOptions Options() const;

  /// Returns the settings that Options would refuse, by their names, each with the reason.
  std::map<std::string, std::string> Refused() const;

  /// Takes over the values of a server that runs, as far as its options have them.
  void Adopt(const ServerOptions& options);

  bool operator==(const SettingValues&) const = default;

private:
  std::string Words(const Setting& setting) const;
  bool IsUsed(const Setting& setting) const;
  void Write(const Setting& setting, ServerOptions& options) const;

  std::map<std::string, std::string> Values;
};

/// The values in force as JSON, by the settings' names: texts and numbers as the properties have
/// them, but sizes in bytes.
std::string SettingsInForce(const ServerOptions& options);

}
