// SPDX-License-Identifier: BSD-3-Clause
#include "Encoding/FieldReader.h"

#include "Base/Error.h"
#include "Encoding/PlainJson.h"

#include <limits>
#include <utility>

namespace dsm
{

using Json = nlohmann::json;

FieldReader::FieldReader(const Json& document, std::string what)
  : What(std::move(what))
{
  if (!document.is_object())
  {
    throw Error(Fault::Refused, "{} is no object with named fields", this->What);
  }
  this->Open.push_back({ &document, {}, {}, 0 });
}

FieldReader::~FieldReader() = default;

void FieldReader::Finish()
{
  this->CheckComplete(this->Open.front());
}

// A field that nobody knows is a sign that the other side means something else.
void FieldReader::CheckComplete(const Level& level) const
{
  if (!level.Content->is_object() || level.Content->size() == level.Known.size())
  {
    return;
  }
  for (const auto& [name, content] : level.Content->items())
  {
    if (!level.Known.contains(name))
    {
      this->Fail(name.c_str(), "is not known here");
    }
  }
}

std::string FieldReader::Path(const char* name) const
{
  std::string path;
  for (std::size_t depth = 1; depth < this->Open.size(); ++depth)
  {
    path += this->Open[depth].Name + ".";
  }
  return path + (name ? name : std::to_string(this->Open.back().Next - 1));
}

void FieldReader::Fail(const char* name, const std::string& what) const
{
  throw Error(Fault::Refused, "{}: its \"{}\" {}", this->What, this->Path(name), what);
}

const Json& FieldReader::Take(const char* name)
{
  Level& level = this->Open.back();
  if (!name)
  {
    return (*level.Content)[level.Next++];
  }
  const auto found = level.Content->find(name);
  if (found == level.Content->end())
  {
    this->Fail(name, "is missing");
  }
  level.Known.insert(name);
  return *found;
}

bool FieldReader::Has(const char* name) const
{
  return this->Open.back().Content->contains(name);
}

bool FieldReader::IsText(const char* name) const
{
  const Level& level = this->Open.back();
  return name ? this->Has(name) && level.Content->at(name).is_string()
              : (*level.Content)[level.Next].is_string();
}

std::vector<std::string> FieldReader::Names() const
{
  std::vector<std::string> names;
  for (const auto& [name, content] : this->Open.back().Content->items())
  {
    names.push_back(name);
  }
  return names;
}

void FieldReader::Visit(const char* name, bool& value)
{
  const Json& found = this->Take(name);
  if (!found.is_boolean())
  {
    this->Fail(name, fmt::format("is a {}, not true or false", found.type_name()));
  }
  value = found.get<bool>();
}

void FieldReader::Visit(const char* name, double& value)
{
  const Json& found = this->Take(name);
  if (!found.is_number())
  {
    this->Fail(name, fmt::format("is a {}, not a number", found.type_name()));
  }
  value = found.get<double>();
}

void FieldReader::Visit(const char* name, std::string& value)
{
  const Json& found = this->Take(name);
  if (!found.is_string())
  {
    this->Fail(name, fmt::format("is a {}, not a text", found.type_name()));
  }
  value = found.get<std::string>();
}

void FieldReader::Visit(const char* name, Bytes&)
{
  // Text has none.
  this->Fail(name, fmt::format("is a {}, not bytes", this->Take(name).type_name()));
}

void FieldReader::Visit(const char* name, PlainValue& value)
{
  const Json& found = this->Take(name);
  if (!IsPlain(found))
  {
    this->Fail(name, "is nested too deeply for a value, or has bytes in it");
  }
  value = ToPlain(found);
}

void FieldReader::Visit(const char* name, std::uint64_t& value)
{
  const Json& found = this->Take(name);
  const bool negative = found.is_number_integer() && !found.is_number_unsigned() && found < 0;
  if (!found.is_number_integer() || negative)
  {
    this->Fail(name,
      fmt::format(
        "is a {}, not a whole number from 0 on", negative ? "negative number" : found.type_name()));
  }
  value = found.get<std::uint64_t>();
}

void FieldReader::Visit(const char* name, std::int64_t& value)
{
  const Json& found = this->Take(name);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!found.is_number_integer())
  {
    this->Fail(name, fmt::format("is a {}, not a whole number", found.type_name()));
  }
  if (found.is_number_unsigned() && found.get<std::uint64_t>() > most)
  {
    this->Fail(name, "is out of range");
  }
  value = found.get<std::int64_t>();
}

void FieldReader::BeginRecord(const char* name)
{
  const Json& found = this->Take(name);
  if (!found.is_object())
  {
    this->Fail(name, fmt::format("is a {}, not an object with named fields", found.type_name()));
  }
  std::string shown = name ? name : std::to_string(this->Open.back().Next - 1);
  this->Open.push_back({ &found, std::move(shown), {}, 0 });
}

std::size_t FieldReader::BeginList(const char* name, std::size_t)
{
  const Json& found = this->Take(name);
  if (!found.is_array())
  {
    this->Fail(name, fmt::format("is a {}, not a list", found.type_name()));
  }
  std::string shown = name ? name : std::to_string(this->Open.back().Next - 1);
  this->Open.push_back({ &found, std::move(shown), {}, 0 });
  return found.size();
}

void FieldReader::End()
{
  this->CheckComplete(this->Open.back());
  this->Open.pop_back();
}

}
