// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Setting.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Encoding/Fields.h"
#include "Server/ServerSettings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace dsm
{

namespace
{
const char* KindName(SettingKind kind)
{
  constexpr std::array<const char*, 9> Names{ "text", "word", "strategy", "transport", "choice",
    "flag", "count", "bytes", "seconds" };
  return Names.at(static_cast<std::size_t>(kind));
}

const char* EffectSentence(SettingEffect effect)
{
  constexpr std::array<const char*, 3> Sentences{ "A change takes effect at the next start.",
    "A change takes effect from the next file on.", "A change takes effect at once." };
  return Sentences.at(static_cast<std::size_t>(effect));
}

// The number that a whole text says; none for anything else.
template <typename Number>
std::optional<Number> NumberIn(const std::string& text)
{
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

std::string CheckedCount(const std::string& words, const std::string& what)
{
  const auto count = NumberIn<std::int64_t>(words);
  if (!count || *count < 0)
  {
    throw Error(Fault::Usage, "{} is {}: it must be 0 or more", what, words);
  }
  return words;
}

std::string CheckedSeconds(const std::string& words, const std::string& what, double most)
{
  const auto seconds = NumberIn<double>(words);
  if (!seconds || !(*seconds >= 0 && *seconds <= most))
  {
    throw Error(Fault::Usage, "{} is {} s: it must be 0 to {}", what, words, most);
  }
  return words;
}

std::size_t PlaceOf(
  const std::vector<SettingChoice>& choices, const std::string& words, const std::string& what)
{
  const auto found = std::find_if(choices.begin(), choices.end(),
    [&](const SettingChoice& choice) { return words == choice.Word; });
  if (found == choices.end())
  {
    std::string known;
    for (const SettingChoice& choice : choices)
    {
      known += (known.empty() ? "" : ", ") + choice.Word;
    }
    throw Error(Fault::Usage, "unknown {} \"{}\" (available: {})", what, words, known);
  }
  return static_cast<std::size_t>(found - choices.begin());
}
}

void Setting::Write(ServerOptions& options, const std::string& words, const std::string& what) const
{
  const bool isZero = this->Zero && !words.empty() && words == *this->Zero;
  switch (this->Kind)
  {
    case SettingKind::Word:
    case SettingKind::Choice:
      this->Store(options, this->Choices[PlaceOf(this->Choices, words, what)].Word);
      return;
    case SettingKind::Count:
      this->Store(options, isZero ? "0" : CheckedCount(words, what));
      return;
    case SettingKind::Bytes:
      this->Store(options, isZero ? "0" : std::to_string(environment::ParseBytes(words, what)));
      return;
    case SettingKind::Seconds:
      this->Store(options, CheckedSeconds(words, what, this->Most));
      return;
    default:
      this->Store(options, words);
  }
}

std::string Setting::WordsOf(const std::string& property) const
{
  if (this->Kind == SettingKind::Bytes)
  {
    const auto number = NumberIn<std::int64_t>(CheckedCount(property, this->Label)).value_or(0);
    if (number > std::numeric_limits<std::int64_t>::max() / this->Step)
    {
      throw Error(Fault::Usage, "{} is {}: that is more than any machine has", this->Label, number);
    }
    return std::to_string(number * this->Step);
  }
  if (this->Kind == SettingKind::Choice)
  {
    const auto place = NumberIn<std::size_t>(property);
    if (!place || *place >= this->Choices.size())
    {
      throw Error(Fault::Usage, "{} is {}: there are the choices 0 to {}", this->Label, property,
        this->Choices.size() - 1);
    }
    return this->Choices[*place].Word;
  }
  return property;
}

std::string Setting::PropertyOf(const std::string& words) const
{
  if (this->Kind == SettingKind::Bytes)
  {
    const auto bytes =
      static_cast<std::int64_t>(environment::ParseBytes(words, this->Label)); // of ours: not huge
    return std::to_string(bytes / this->Step);
  }
  return this->Kind == SettingKind::Choice
    ? std::to_string(PlaceOf(this->Choices, words, this->Label))
    : words;
}

std::string Setting::FullHelp() const
{
  return this->Help + " " +
    (this->EffectText.empty() ? EffectSentence(this->Effect) : this->EffectText);
}

void Describe(Fields& fields, SettingChoice& choice)
{
  fields("word", choice.Word);
  std::string entry = choice.Entry.empty() ? choice.Label : choice.Entry;
  fields("label", choice.Label);
  fields("entry", entry);
}

void Describe(Fields& fields, SettingCondition& condition)
{
  std::string property = SettingNamed(condition.Name).PropertyOf(condition.Words);
  fields("name", condition.Name);
  fields("property", property);
  fields("inverse", condition.Inverse);
}

void Describe(Fields& fields, Setting& setting)
{
  std::string kind = KindName(setting.Kind);
  std::string property = setting.PropertyOf(setting.Default);
  std::string propertyLabel = setting.PropertyLabel.empty() ? setting.Label : setting.PropertyLabel;
  std::string help = setting.FullHelp();
  bool canChange = setting.Effect != SettingEffect::NextStart;
  bool isWide = setting.Most > std::numeric_limits<int>::max();
  fields("name", setting.Name);
  fields("label", setting.Label);
  fields("property_label", propertyLabel);
  fields("group", setting.Group);
  fields("word", setting.Word);
  fields("option", setting.HasOption);
  fields("environment", setting.Environment);
  fields("effective", setting.Effective);
  fields("advanced", setting.Advanced);
  fields("kind", kind);
  fields("wide", isWide);
  fields("choices", setting.Choices);
  fields("default", setting.Default);
  fields("property", property);
  fields("zero", setting.Zero);
  fields("zero_label", setting.ZeroLabel);
  fields("presets", setting.Presets);
  fields("step", setting.Step);
  fields("condition", setting.Condition);
  fields("changes", canChange);
  fields("help", help);
}

}
