// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/DescriptionBuilder.h"

#include "Describe/DescriptionText.h"
#include "Describe/VectorNames.h"

#include <algorithm>

namespace dsm::describe
{

namespace
{
template <typename T>
void AddOnce(std::vector<T>& all, T one)
{
  if (std::find(all.begin(), all.end(), one) == all.end())
  {
    all.push_back(std::move(one));
  }
}
}

DescriptionBuilder::DescriptionBuilder(const Asked& asked)
  : Input(asked)
{
}

void DescriptionBuilder::SetFormat(std::string format, std::string rule)
{
  this->Result.Format = std::move(format);
  this->Result.Rule = std::move(rule);
}

std::size_t DescriptionBuilder::ChooseStep(std::size_t count)
{
  const std::size_t last = count == 0 ? 0 : count - 1;
  this->Result.Step = std::min(this->Input.Step.value_or(last), last);
  return this->Result.Step;
}

std::size_t DescriptionBuilder::Step() const
{
  return this->Result.Step;
}

void DescriptionBuilder::SetTimeOfFile()
{
  this->SetTime(this->Input.File.Time());
  this->Use(this->Input.File.TimeDataset());
}

void DescriptionBuilder::SetTime(std::optional<double> time)
{
  this->Result.Time = time;
}

void DescriptionBuilder::SetTimeUnits(std::string units)
{
  this->Result.TimeUnits = std::move(units);
}

const std::optional<double>& DescriptionBuilder::Time() const
{
  return this->Result.Time;
}

bool DescriptionBuilder::ListTimes(std::vector<double> times)
{
  const bool ascend =
    std::adjacent_find(times.begin(), times.end(), std::greater_equal<>()) == times.end();
  if (ascend)
  {
    this->Result.Times = std::move(times);
  }
  return ascend;
}

bool DescriptionBuilder::SetTimes(std::vector<double> times)
{
  this->Result.Time = times.at(this->Result.Step);
  return this->ListTimes(std::move(times));
}

bool DescriptionBuilder::HasTimes() const
{
  return !this->Result.Times.empty();
}

void DescriptionBuilder::AddPart(Part part)
{
  this->Result.Parts.push_back(std::move(part));
}

std::vector<Part>& DescriptionBuilder::Parts()
{
  return this->Result.Parts;
}

const std::vector<Part>& DescriptionBuilder::Parts() const
{
  return this->Result.Parts;
}

void DescriptionBuilder::Use(const std::string& path)
{
  this->Used.insert(path);
}

bool DescriptionBuilder::IsUsed(const std::string& path) const
{
  return this->Used.count(path) > 0;
}

bool DescriptionBuilder::LeaveOut(std::string path, std::string why)
{
  this->Result.Left.push_back({ std::move(path), std::move(why) });
  return false;
}

void DescriptionBuilder::Explain(const std::string& path, std::string why)
{
  this->Reasons.insert_or_assign(path, std::move(why));
}

void DescriptionBuilder::LeaveOutOthers(const std::vector<hdf5::Object>& objects,
  const std::function<std::string(const hdf5::Object&)>& why)
{
  std::set<std::string> known = this->Used;
  for (const LeftOut& left : this->Result.Left)
  {
    known.insert(left.Path);
  }
  for (const hdf5::Object& object : objects)
  {
    if (!object.Dataset || known.count(object.Path) > 0)
    {
      continue;
    }
    const auto reason = this->Reasons.find(object.Path);
    std::string text = !object.Unreadable.empty() ? object.Unreadable
      : reason == this->Reasons.end()             ? why(object)
                                                  : reason->second;
    if (!text.empty())
    {
      this->LeaveOut(object.Path, std::move(text));
    }
  }
}

void DescriptionBuilder::Guess(std::string text)
{
  AddOnce(this->Result.Guessed, std::move(text));
}

void DescriptionBuilder::Assume(
  Setting setting, std::string text, std::vector<Alternative> alternatives)
{
  auto& all = this->Result.Assumed;
  const bool known = std::any_of(all.begin(), all.end(),
    [&](const Settable& one) { return one.By == setting && one.Text == text; });
  if (!known)
  {
    all.push_back({ setting, std::move(text), std::move(alternatives) });
  }
}

void DescriptionBuilder::SetBy(Setting setting, std::string text)
{
  this->Result.Set.push_back({ setting, std::move(text) });
}

std::string DescriptionBuilder::WhyNothing(const std::string& otherwise) const
{
  return describe::WhyNothing(this->Result, otherwise);
}

void DescriptionBuilder::RequireParts(
  const std::string& what, const std::string& otherwise, Fault fault) const
{
  if (this->Result.Parts.empty())
  {
    throw Error(fault, "{} {}{}", this->Input.Name, what, this->WhyNothing(otherwise));
  }
}

Description DescriptionBuilder::Finish()
{
  return std::exchange(this->Result, {});
}

bool HasArray(const Part& part, const std::string& name, std::optional<Centring> on)
{
  return std::any_of(part.Arrays.begin(), part.Arrays.end(),
    [&](const Array& array) { return array.Name == name && array.On == on.value_or(array.On); });
}

std::vector<std::string> AddJoined(
  Part& part, Centring on, const std::vector<std::pair<std::string, Source>>& named)
{
  std::vector<std::string> names;
  std::map<std::string, const Source*> sources;
  for (const auto& [name, source] : named)
  {
    names.push_back(name);
    sources.emplace(name, &source);
  }
  std::vector<std::string> taken;
  for (const JoinedName& joined : JoinVectors(names))
  {
    if (HasArray(part, joined.Name, on))
    {
      taken.push_back(joined.Name);
      continue;
    }
    Array& array = part.Arrays.emplace_back(Array{ joined.Name, on });
    for (const std::string& member : joined.Members)
    {
      array.Sources.push_back(*sources.at(member));
    }
  }
  return taken;
}

}
