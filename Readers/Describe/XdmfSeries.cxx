// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/XdmfSeries.h"

#include "Base/Error.h"
#include "Describe/Text.h"
#include "Describe/XdmfItem.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace dsm::describe
{

namespace
{
std::string TimeType(const XmlElement& time)
{
  return LowerCase(time["timetype"].empty() ? time["type"] : time["timetype"]);
}

std::optional<double> OneTime(const XmlElement& time)
{
  const auto value = AsNumber(time["value"]);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// Returns "u" for "u/1.0" at time 1; nothing if the name does not end with the time.
std::optional<std::string> WithoutTime(const std::string& name, double time)
{
  const auto end = name.find_last_of("/_ @:=");
  const auto number =
    end == std::string::npos || end == 0 ? std::nullopt : AsNumber(name.substr(end + 1));
  const bool isTime = number && std::abs(*number - time) <= 1e-9 * std::abs(time);
  return isTime ? std::optional(name.substr(0, end)) : std::nullopt;
}

void FindAttributes(const XmlElement& grid, std::set<std::string>& names)
{
  for (const XmlElement* attribute : XdmfChildren(grid, "attribute"))
  {
    names.insert((*attribute)["name"]);
  }
  for (const XmlElement* child : XdmfChildren(grid, "grid"))
  {
    FindAttributes(*child, names);
  }
}
}

bool IsXdmfCollection(const XmlElement& grid, const std::string& kind)
{
  const std::string type = LowerCase(grid["gridtype"].empty() ? grid["type"] : grid["gridtype"]);
  const std::string of = LowerCase(grid["collectiontype"]);
  return type == "collection" && (of.empty() ? "spatial" : of) == kind;
}

std::optional<double> XdmfTimeOf(const XmlElement& grid)
{
  for (const XmlElement* time : XdmfChildren(grid, "time"))
  {
    if (const auto value = OneTime(*time))
    {
      return value;
    }
  }
  for (const XmlElement* child : XdmfChildren(grid, "grid"))
  {
    if (const auto value = XdmfTimeOf(*child))
    {
      return value;
    }
  }
  return std::nullopt;
}

XdmfSeries::XdmfSeries(const XmlElement& collection, XdmfNames& names, const NamedData& data)
{
  const auto grids = XdmfChildren(collection, "grid");
  const auto times = this->TimesOf(collection, grids.size(), names, data);
  for (std::size_t i = 0; i < grids.size(); ++i)
  {
    if (names.BelongsToIt(*grids[i]))
    {
      const auto own = XdmfTimeOf(*grids[i]);
      this->Timed = this->Timed && (own || !times.empty());
      const double fallback = times.empty() ? static_cast<double>(i) : times[i];
      this->Found.push_back({ own.value_or(fallback), grids[i] });
    }
  }
  // A text is often written before the data of its last step, or read beside an older state of the
  // file.
  const auto isThere = [&](std::size_t index)
  {
    const auto paths = names.PathsIn(*this->Found[index].Grid);
    const auto others = names.PathsIn(*this->Found[index > 0 ? index - 1 : 1].Grid);
    bool own = false, there = false;
    for (const std::string& path : paths)
    {
      if (!others.contains(path))
      {
        own = true;
        there = there || data.Has("", path);
      }
    }
    return !own || there;
  };
  if (this->Found.size() > 1)
  {
    std::size_t first = 0, count = this->Found.size();
    while (count > 0)
    {
      const auto half = count / 2;
      const bool there = isThere(first + half);
      first = there ? first + half + 1 : first;
      count = there ? count - half - 1 : half;
    }
    if (first > 0)
    {
      this->Ahead = this->Found.size() - first;
      this->Found.resize(first);
    }
  }
  std::stable_sort(this->Found.begin(), this->Found.end(),
    [](const Step& left, const Step& right) { return left.Time < right.Time; });
}

const XmlElement* XdmfSeries::At(double time) const
{
  const XmlElement* grid = nullptr;
  for (const Step& step : this->Found)
  {
    grid = step.Time <= time ? step.Grid : grid;
  }
  return grid;
}

std::string XdmfSeries::SteadyName(const std::string& name, const XmlElement& grid) const
{
  const auto step = std::find_if(
    this->Found.begin(), this->Found.end(), [&](const Step& one) { return one.Grid == &grid; });
  const auto base = step == this->Found.end() ? std::nullopt : WithoutTime(name, step->Time);
  if (!base)
  {
    return name;
  }
  if (this->Found.size() == 1)
  {
    // A whole number may be that of a component: without another step, nothing tells.
    return name.find('.', base->size()) == std::string::npos ? name : *base;
  }
  const Step& other = step == this->Found.begin() ? step[1] : step[-1];
  std::set<std::string> names;
  FindAttributes(*other.Grid, names);
  const bool varies = names.count(name) == 0 &&
    std::any_of(names.begin(), names.end(),
      [&](const std::string& one) { return WithoutTime(one, other.Time) == base; });
  return varies ? *base : name;
}

// What a collection says of its steps' times: in a list, or by start and stride.
std::vector<double> XdmfSeries::TimesOf(
  const XmlElement& collection, std::size_t count, const XdmfNames& names, const NamedData& data)
{
  for (const XmlElement* time : XdmfChildren(collection, "time"))
  {
    const auto items = XdmfChildren(*time, "dataitem");
    const std::string type = TimeType(*time);
    if (items.size() != 1 || (type != "list" && type != "hyperslab"))
    {
      continue;
    }
    auto times = XdmfItem(*items.front(), names, data).Numbers(data);
    if (type == "hyperslab" && times.size() >= 2)
    {
      const double start = times[0], stride = times[1];
      times.resize(count);
      for (std::size_t i = 0; i < count; ++i)
      {
        times[i] = start + stride * static_cast<double>(i);
      }
    }
    if (times.size() < count)
    {
      throw Error(
        Fault::Usage, "{} has {} steps, and {} times", collection.Told(), count, times.size());
    }
    if (!std::all_of(times.begin(), times.end(), [](double one) { return std::isfinite(one); }))
    {
      throw Error(Fault::Usage, "{} has times that are no numbers", collection.Told());
    }
    return times;
  }
  return {};
}

}
