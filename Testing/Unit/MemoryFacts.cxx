// SPDX-License-Identifier: BSD-3-Clause
#include "MemoryFacts.h"

#include "Base/Error.h"
#include "Describe/DescriptionText.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

using dsm::hdf5::Object;
using dsm::hdf5::Thing;

MemoryFacts::Attribute::Attribute(double number)
  : Numbers{ number }
{
}

MemoryFacts::Attribute::Attribute(std::vector<double> numbers)
  : Numbers(std::move(numbers))
{
}

MemoryFacts::Attribute::Attribute(const char* text)
  : Texts{ text }
{
}

MemoryFacts::Attribute::Attribute(std::vector<std::string> texts)
  : Texts(std::move(texts))
{
}

MemoryFacts::Attribute MemoryFacts::Attribute::Compound(std::vector<double> members)
{
  Attribute made(std::vector<double>{});
  made.Members = std::move(members);
  return made;
}

MemoryFacts::Attribute MemoryFacts::Attribute::References(
  std::vector<std::vector<std::string>> lists)
{
  Attribute made(std::vector<double>{});
  made.Lists = std::move(lists);
  return made;
}

MemoryFacts::Entry& MemoryFacts::Entry::With(const std::string& name, const Attribute& value)
{
  this->Attributes.insert_or_assign(name, value);
  return *this;
}

MemoryFacts::Entry& MemoryFacts::Entry::Holding(
  std::vector<double> values, const std::string& member)
{
  this->Values[member] = std::move(values);
  return *this;
}

MemoryFacts::Entry& MemoryFacts::Entry::OfType(const std::string& type)
{
  this->Object.Type = type;
  this->Object.Numbers = type.starts_with("float") || type.find("int") != std::string::npos;
  return *this;
}

MemoryFacts::Entry& MemoryFacts::Entry::OfMembers(std::vector<std::string> members)
{
  this->Object.Members = std::move(members);
  return this->OfType("compound");
}

MemoryFacts::Entry& MemoryFacts::Entry::WithArray(
  const std::string& member, std::vector<hsize_t> shape)
{
  this->Object.ArrayMembers[member] = std::move(shape);
  return *this;
}

MemoryFacts::Entry& MemoryFacts::Entry::Unreadable(const std::string& why)
{
  this->Object.Unreadable = why;
  this->Object.Numbers = false;
  return *this;
}

MemoryFacts::Entry& MemoryFacts::Entry::Growing(std::size_t dimension)
{
  this->Object.Most.at(dimension) = H5S_UNLIMITED;
  return *this;
}

MemoryFacts::Entry& MemoryFacts::Group(const std::string& path)
{
  if (const auto above = path.substr(0, path.rfind('/')); !above.empty())
  {
    this->Group(above);
  }
  Entry& entry = this->Entries[path];
  entry.Object.Path = path;
  entry.Object.Type = "group";
  return entry;
}

MemoryFacts::Entry& MemoryFacts::Data(const std::string& path, const std::vector<hsize_t>& shape)
{
  Entry& entry = this->Group(path);
  entry.Object.Dataset = true;
  entry.Object.Shape = entry.Object.Most = shape;
  return entry.OfType("float64");
}

MemoryFacts::Entry& MemoryFacts::Rows(const std::string& path, std::vector<std::string> rows)
{
  Entry& entry = this->Data(path, { rows.size(), 33 }).OfType("text");
  entry.Rows = std::move(rows);
  return entry;
}

MemoryFacts::Entry& MemoryFacts::Named(
  const std::string& path, std::map<std::string, double> numbers)
{
  Entry& entry = this->Data(path, { numbers.size() }).OfType("compound");
  entry.Beside = std::move(numbers);
  return entry;
}

MemoryFacts::Entry& MemoryFacts::Contents(const std::string& path, const std::string& text)
{
  Entry& entry = this->Data(path, {}).OfType("text");
  entry.Contents = text;
  return entry;
}

const std::vector<Object>& MemoryFacts::Objects() const
{
  const bool known = !this->Listed.empty();
  for (const auto& [path, entry] : this->Entries)
  {
    if (!known && path != "/")
    {
      this->Listed.push_back(entry.Object);
    }
  }
  return this->Listed;
}

std::optional<Object> MemoryFacts::ObjectAt(const std::string& path) const
{
  const Entry* entry = this->Find(path);
  return entry ? std::optional(entry->Object) : std::nullopt;
}

Thing MemoryFacts::WhatIs(const std::string& path) const
{
  const Entry* entry = this->Find(path);
  return path == "/"        ? Thing::Group
    : !entry                ? Thing::Nothing
    : entry->Object.Dataset ? Thing::Dataset
                            : Thing::Group;
}

std::vector<std::string> MemoryFacts::MembersOf(const std::string& group, std::size_t most) const
{
  std::vector<std::string> names;
  const std::string folder = group == "/" ? group : group + "/";
  for (const auto& [path, entry] : this->Entries)
  {
    if (entry.Object.Folder() == folder && path != "/" && names.size() < most)
    {
      names.push_back(entry.Object.Name());
    }
  }
  return names;
}

bool MemoryFacts::HasAttributes(const std::string& object) const
{
  const Entry* entry = this->Find(object);
  return entry && !entry->Attributes.empty();
}

bool MemoryFacts::Has(const std::string& object, const std::string& attribute) const
{
  return this->Find(object, attribute) != nullptr;
}

std::vector<double> MemoryFacts::Numbers(
  const std::string& object, const std::string& attribute, std::size_t most) const
{
  const Attribute* found = this->Find(object, attribute);
  return found && found->Numbers.size() <= most ? found->Numbers : std::vector<double>();
}

std::vector<std::string> MemoryFacts::Texts(
  const std::string& object, const std::string& attribute, std::size_t most) const
{
  const Attribute* found = this->Find(object, attribute);
  return found && found->Texts.size() <= most ? found->Texts : std::vector<std::string>();
}

std::vector<double> MemoryFacts::CompoundNumbers(
  const std::string& object, const std::string& attribute) const
{
  const Attribute* found = this->Find(object, attribute);
  return found ? found->Members : std::vector<double>();
}

std::vector<std::vector<std::string>> MemoryFacts::References(
  const std::string& object, const std::string& attribute) const
{
  const Attribute* found = this->Find(object, attribute);
  return found ? found->Lists : std::vector<std::vector<std::string>>();
}

std::vector<double> MemoryFacts::Values(const dsm::describe::Source& source) const
{
  const auto& stored = std::get<dsm::describe::Stored>(source.From);
  const auto& dimension = source.Dimensions.at(0);
  const Entry* entry = this->Find(stored.Path);
  const auto found = entry ? entry->Values.find(stored.Member) : decltype(entry->Values.end())();
  if (!entry || found == entry->Values.end())
  {
    throw std::logic_error("the test gives no values of " + stored.Path + stored.Member);
  }
  std::vector<double> values;
  for (std::uint64_t index = 0; index < dimension.Count; ++index)
  {
    const double value = found->second.at(stored.FlatFrom.value_or(0) + dimension.Start + index);
    const bool missing =
      std::find(source.Missing.begin(), source.Missing.end(), value) != source.Missing.end();
    values.push_back(missing ? std::nan("") : value * source.Scale + source.Offset);
  }
  return values;
}

std::vector<std::string> MemoryFacts::TextRows(const std::string& dataset) const
{
  const Entry* entry = this->Find(dataset);
  return entry ? entry->Rows : std::vector<std::string>();
}

std::optional<double> MemoryFacts::NumberBeside(
  const std::string& dataset, const std::string& name) const
{
  const Entry* entry = this->Find(dataset);
  const auto found = entry ? entry->Beside.find(name) : decltype(entry->Beside.end())();
  return entry && found != entry->Beside.end() ? std::optional(found->second) : std::nullopt;
}

std::optional<std::string> MemoryFacts::TextNamed(const std::string& name) const
{
  const Entry* entry = this->Find("/" + name);
  return entry && !entry->Contents.empty() ? std::optional(entry->Contents) : std::nullopt;
}

const MemoryFacts::Entry* MemoryFacts::Find(const std::string& path) const
{
  const auto found = this->Entries.find(path);
  return found == this->Entries.end() ? nullptr : &found->second;
}

const MemoryFacts::Attribute* MemoryFacts::Find(
  const std::string& object, const std::string& attribute) const
{
  const Entry* entry = this->Find(object);
  const auto found =
    entry ? entry->Attributes.find(attribute) : decltype(entry->Attributes.end())();
  return entry && found != entry->Attributes.end() ? &found->second : nullptr;
}

void CheckRecogniser(
  const std::function<std::optional<dsm::describe::Description>(const dsm::describe::Asked&)>&
    recognise,
  const std::vector<RecogniserCase>& table)
{
  for (const RecogniserCase& row : table)
  {
    MemoryFacts file;
    row.Fill(file);
    std::string told;
    try
    {
      const auto found = recognise({ file, row.File, row.Step });
      told = found ? dsm::describe::Text(*found) : "not recognised";
    }
    catch (const dsm::Error& error)
    {
      told = std::string("error: ") + error.what();
    }
    EXPECT_EQ(told.substr(0, told.find_last_not_of('\n') + 1), row.Expected) << row.Name;
  }
}
