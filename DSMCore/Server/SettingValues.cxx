// SPDX-License-Identifier: BSD-3-Clause
#include "Server/SettingValues.h"

#include "Base/Error.h"
#include "Encoding/Encoding.h"
#include "Server/ServerSettings.h"

namespace dsm
{

std::string SettingValues::Get(const std::string& name) const
{
  const auto found = this->Values.find(name);
  return found == this->Values.end() ? std::string() : found->second;
}

bool SettingValues::IsOn(const std::string& name) const
{
  const std::string value = this->Get(name);
  return !value.empty() && value != "0";
}

std::string SettingValues::Words(const Setting& setting) const
{
  const std::string property = this->Get(setting.Name);
  return setting.WordsOf(property.empty() ? setting.PropertyOf(setting.Default) : property);
}

bool SettingValues::IsUsed(const Setting& setting) const
{
  const auto& condition = setting.Condition;
  return !condition || !condition->IsUnusedOtherwise ||
    (this->Words(SettingNamed(condition->Name)) == condition->Words) != condition->Inverse;
}

void SettingValues::Write(const Setting& setting, ServerOptions& options) const
{
  const std::string words = this->Words(setting);
  const bool isChosen = words != SettingValues().Words(setting);
  if (setting.Store && isChosen && this->IsUsed(setting))
  {
    setting.Write(options, words, setting.Label);
  }
}

ServerOptions SettingValues::Options() const
{
  ServerOptions options = OptionsByDefault();
  for (const Setting& setting : ServerSettings())
  {
    this->Write(setting, options);
  }
  return options;
}

std::map<std::string, std::string> SettingValues::Refused() const
{
  std::map<std::string, std::string> refused;
  ServerOptions options;
  for (const Setting& setting : ServerSettings())
  {
    try
    {
      this->Write(setting, options);
    }
    catch (const Error& error)
    {
      refused[setting.Name] = error.what();
    }
  }
  return refused;
}

void SettingValues::Adopt(const ServerOptions& options)
{
  for (const Setting& setting : ServerSettings())
  {
    if (const auto words = setting.Read(options))
    {
      this->Set(setting.Name, setting.PropertyOf(*words));
    }
  }
}

std::string SettingsInForce(const ServerOptions& options)
{
  return TextOfFields(
    [&](Fields& fields)
    {
      for (const Setting& setting : ServerSettings())
      {
        const auto words = setting.Read(options);
        if (!words)
        {
          continue;
        }
        std::string text =
          setting.Kind == SettingKind::Choice ? setting.PropertyOf(*words) : *words;
        if (setting.Kind == SettingKind::Seconds)
        {
          double seconds = std::stod(text);
          fields(setting.Name.c_str(), seconds);
        }
        else if (setting.IsNumber())
        {
          std::uint64_t number = std::stoull(text);
          fields(setting.Name.c_str(), number);
        }
        else
        {
          fields(setting.Name.c_str(), text);
        }
      }
    },
    -1);
}

}
