// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/FileFacts.h"

#include "Base/Error.h"

namespace dsm::describe
{

const hdf5::Object* FileFacts::Find(const std::string& path) const
{
  return hdf5::Find(this->Objects(), path);
}

std::optional<double> FileFacts::Number(
  const std::string& object, const std::string& attribute) const
{
  const auto numbers = this->Numbers(object, attribute, 1);
  return numbers.empty() ? std::nullopt : std::optional(numbers.front());
}

double FileFacts::NumberOr(
  const std::string& object, const std::string& attribute, double otherwise) const
{
  return this->Number(object, attribute).value_or(otherwise);
}

std::string FileFacts::Text(const std::string& object, const std::string& attribute) const
{
  const auto texts = this->Texts(object, attribute, 1);
  return texts.empty() ? std::string() : texts.front();
}

std::string FileFacts::TextOr(
  const std::string& object, const std::string& attribute, const std::string& otherwise) const
{
  const std::string text = this->Text(object, attribute);
  return text.empty() ? otherwise : text;
}

std::vector<double> FileFacts::AllValues(
  const hdf5::Object& dataset, const std::string& member) const
{
  return this->Values(
    { Stored{ dataset.Path, {}, member, 0 }, { { Role::Index, 0, dataset.Elements() } } });
}

std::optional<double> FileFacts::TimeOf(const std::string& object) const
{
  for (const char* name : { "time", "Time", "TimeValue", "TIME", "sim_time" })
  {
    if (const auto time = this->Number(object, name))
    {
      return time;
    }
  }
  return std::nullopt;
}

// The time that attributes or VTKHDF's steps have.
std::optional<double> FileFacts::StatedTime() const
{
  const bool isVtkHdf = this->WhatIs("/VTKHDF") == hdf5::Thing::Group;
  for (const char* object : { "/", "/VTKHDF", "/Header", "/Info" })
  {
    const auto time = this->TimeOf(object);
    if (time && (isVtkHdf || std::string(object) != "/VTKHDF"))
    {
      return time;
    }
  }
  if (isVtkHdf)
  {
    const auto time = this->LastValue("/VTKHDF/Steps/Values");
    return time ? time : this->TimeOfBlocks();
  }
  return std::nullopt;
}

std::optional<double> FileFacts::Time() const
{
  if (const auto stated = this->StatedTime())
  {
    return stated;
  }
  const std::string dataset = this->TimeDataset();
  return dataset.empty() ? std::nullopt : this->LastValue(dataset);
}

std::string FileFacts::TimeDataset() const
{
  if (this->WhatIs("/VTKHDF") == hdf5::Thing::Group || this->StatedTime())
  {
    return {};
  }
  for (const char* dataset : { "/time", "/Time", "/scales/sim_time" })
  {
    if (this->LastValue(dataset))
    {
      return dataset;
    }
  }
  return {};
}

std::optional<double> FileFacts::TimeIn(const std::string& group, std::string& dataset) const
{
  if (const auto stated = this->TimeOf(group))
  {
    return stated;
  }
  for (const char* name : { "time", "Time", "t" })
  {
    const std::string path = group + "/" + name;
    const auto object = this->ObjectAt(path);
    if (const auto value = object && object->Elements() == 1 ? this->LastValue(path) : std::nullopt)
    {
      dataset = path;
      return value;
    }
  }
  return std::nullopt;
}

// In a collection of blocks, each block has the steps.
std::optional<double> FileFacts::TimeOfBlocks() const
{
  std::optional<double> last;
  for (const std::string& block : this->MembersOf("/VTKHDF"))
  {
    const auto time = this->LastValue("/VTKHDF/" + block + "/Steps/Values");
    last = time && (!last || *time > *last) ? time : last;
  }
  return last;
}

// The last number of a one-dimensional dataset, or the only one.
std::optional<double> FileFacts::LastValue(const std::string& dataset) const
{
  const auto object = this->ObjectAt(dataset);
  if (!object || !object->Numbers || object->Null || object->Type.starts_with("enumeration") ||
    object->Shape.size() > 1 || object->Elements() == 0)
  {
    return std::nullopt;
  }
  try
  {
    return this
      ->Values({ Stored{ dataset, {}, {}, object->Elements() - 1 }, { { Role::Index, 0, 1 } } })
      .front();
  }
  catch (const Error&)
  {
    return std::nullopt;
  }
}

}
