// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/PlainTime.h"

#include "Describe/PointColumns.h"
#include "Describe/Text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
// The dimension of one dataset.
struct Found
{
  const Object* Dataset = nullptr;
  std::size_t Dimension = 0;
  const Object* Times = nullptr; ///< nullptr: none has as many values
  PlainTime::Reason Because = PlainTime::Reason::Order;

  hsize_t Count() const { return this->Dataset->Shape[this->Dimension]; }
};

bool IsUnlimited(const Object& object, std::size_t dimension)
{
  return object.Most.size() > dimension && object.Most[dimension] == H5S_UNLIMITED;
}

bool HasNumbers(const Object& object)
{
  return object.Elements() > 0 &&
    (object.Numbers || !object.Members.empty() || !object.ArrayMembers.empty());
}

// How many folders a path shares with the beginning of another.
std::size_t SharedFolders(const std::string& one, const std::string& other)
{
  std::size_t shared = 0;
  for (std::size_t at = 0; at < one.size() && at < other.size() && one[at] == other[at]; ++at)
  {
    shared += one[at] == '/' ? 1 : 0;
  }
  return shared;
}

// The datasets with times.
std::vector<const Object*> AllTimes(const std::vector<Object>& objects)
{
  constexpr std::array names = { "time", "times", "t", "sim_time", "simulation_time", "timestamps",
    "time_values" };
  std::vector<const Object*> found;
  for (const Object& object : objects)
  {
    if (object.Numbers && object.Shape.size() == 1 && object.Elements() > 0 &&
      std::find(names.begin(), names.end(), LowerCase(object.Name())) != names.end())
    {
      found.push_back(&object);
    }
  }
  return found;
}

// Whether there is a time for each index, or as yet for all but the newest.
bool Fits(const Object& times, const Object& dataset, std::size_t dimension)
{
  const hsize_t count = dataset.Shape[dimension];
  const hsize_t length = times.Shape[0];
  const bool grow = IsUnlimited(times, 0) && IsUnlimited(dataset, dimension);
  return length == count || (grow && (length + 1 == count || length == count + 1));
}

// Returns the times along a dimension: of several, those in the nearest group.
const Object* TimesAlong(
  const std::vector<const Object*>& times, const Object& dataset, std::size_t dimension)
{
  const Object* nearest = nullptr;
  for (const Object* one : times)
  {
    const bool isNearer = !nearest ||
      SharedFolders(one->Path, dataset.Path) > SharedFolders(nearest->Path, dataset.Path);
    if (isNearer && Fits(*one, dataset, dimension))
    {
      nearest = one;
    }
  }
  return nearest;
}

std::optional<std::size_t> OnlyUnlimited(const Object& dataset)
{
  std::optional<std::size_t> found;
  for (std::size_t dimension = 0; dimension < dataset.Shape.size(); ++dimension)
  {
    if (IsUnlimited(dataset, dimension))
    {
      if (found)
      {
        return std::nullopt;
      }
      found = dimension;
    }
  }
  return found;
}

// Whether what is left without a dimension is a vector or a tensor.
bool LeavesTensor(const Object& dataset, std::size_t dimension)
{
  for (std::size_t other = 0; other < dataset.Shape.size(); ++other)
  {
    if (other != dimension && dataset.Shape[other] > 3)
    {
      return false;
    }
  }
  return true;
}

std::optional<Found> ByOrder(
  const std::vector<const Object*>& times, const Object& dataset, const AxisOrder& order)
{
  const auto letter =
    std::find_if(order.begin(), order.end(), [](const auto& one) { return one.Is == 't'; });
  if (letter == order.end() || !IsGrid(dataset, order))
  {
    return std::nullopt;
  }
  const auto dimension = static_cast<std::size_t>(letter - order.begin());
  return Found{ &dataset, dimension, TimesAlong(times, dataset, dimension) };
}

std::optional<Found> ByLabels(
  const std::vector<const Object*>& times, const Object& dataset, const LabelsByPath& all)
{
  const auto known = all.find(dataset.Path);
  const AxisOrder labels = known == all.end() ? AxisOrder() : known->second;
  const auto label =
    std::find_if(labels.begin(), labels.end(), [](const auto& one) { return one.Is == 't'; });
  if (label == labels.end())
  {
    return std::nullopt;
  }
  const auto dimension = static_cast<std::size_t>(label - labels.begin());
  return Found{ &dataset, dimension, TimesAlong(times, dataset, dimension),
    PlainTime::Reason::Labels };
}

std::optional<Found> ByLengths(const std::vector<const Object*>& all, const Object& dataset)
{
  const auto& shape = dataset.Shape;
  const auto unlimited = OnlyUnlimited(dataset);
  const std::size_t dimension = unlimited.value_or(0);
  // As many times as indices of a dimension that does not grow may be an accident.
  const bool isSure = unlimited || IsUnlimited(dataset, 0) || shape.size() > 3 ||
    std::count(shape.begin(), shape.end(), shape[0]) == 1;
  const Object* const times = isSure ? TimesAlong(all, dataset, dimension) : nullptr;
  if (times)
  {
    return Found{ &dataset, dimension, times, PlainTime::Reason::Times };
  }
  if (unlimited && !LeavesTensor(dataset, dimension))
  {
    return Found{ &dataset, dimension, nullptr, PlainTime::Reason::Growth };
  }
  return std::nullopt;
}

// Columns of two dimensions, if they have coordinates of points at each step: else they are
// pictures of profiles over time.
std::vector<Found> ColumnsInTime(
  const std::vector<Object>& objects, const std::vector<const Object*>& all)
{
  std::vector<Found> found;
  std::vector<Object> columns;
  for (const Object& object : objects)
  {
    const Object* const times = HasNumbers(object) && object.Shape.size() == 2 &&
        (IsUnlimited(object, 0) || object.Shape[0] != object.Shape[1])
      ? TimesAlong(all, object, 0)
      : nullptr;
    if (times)
    {
      found.push_back({ &object, 0, times, PlainTime::Reason::Times });
      columns.push_back(object);
      columns.back().Shape.erase(columns.back().Shape.begin());
    }
  }
  return FindPointColumns(columns).empty() ? std::vector<Found>() : found;
}

std::vector<Found> All(
  const std::vector<Object>& objects, const LabelsByPath& labels, const AxisOrder& order)
{
  const auto times = AllTimes(objects);
  std::vector<Found> all;
  if (order.empty())
  {
    all = ColumnsInTime(objects, times);
  }
  for (const Object& object : objects)
  {
    if (!HasNumbers(object))
    {
      continue;
    }
    std::optional<Found> found;
    if (!order.empty())
    {
      found = ByOrder(times, object, order);
    }
    else if (object.Shape.size() > 1)
    {
      found = ByLabels(times, object, labels);
      found = !found && object.Shape.size() > 2 ? ByLengths(times, object) : found;
    }
    if (found)
    {
      all.push_back(*found);
    }
  }
  return all;
}
}

PlainTime FindPlainTime(
  const std::vector<Object>& objects, const LabelsByPath& labels, const AxisOrder& order)
{
  PlainTime time;
  const std::vector<Found> all = All(objects, labels, order);
  const auto perStep = [](const Found& one) { return one.Dataset->Elements() / one.Count(); };
  const auto largest = std::max_element(all.begin(), all.end(),
    [&](const Found& one, const Found& other) { return perStep(one) < perStep(other); });
  if (largest == all.end())
  {
    return time;
  }
  // Datasets that are small beside others without steps are not shown.
  std::set<std::string> paths;
  for (const Found& one : all)
  {
    paths.insert(one.Dataset->Path);
  }
  const bool isGuess =
    largest->Because == PlainTime::Reason::Growth || largest->Because == PlainTime::Reason::Times;
  const bool isSmall = isGuess &&
    std::any_of(objects.begin(), objects.end(),
      [&](const Object& object)
      {
        return HasNumbers(object) && object.Elements() > 64 * perStep(*largest) &&
          paths.count(object.Path) == 0;
      });
  if (isSmall)
  {
    return time;
  }
  time.Because = largest->Because;
  time.Shown = largest->Dataset->Path;
  time.Times = largest->Times ? largest->Times->Path : "";
  time.Steps =
    largest->Times ? std::min(largest->Count(), largest->Times->Shape[0]) : largest->Count();
  for (const Found& one : all)
  {
    const bool sameTimes = largest->Times && one.Times == largest->Times;
    if (one.Count() == largest->Count() || sameTimes)
    {
      time.Dimensions.emplace(one.Dataset->Path, one.Dimension);
      time.Steps = std::min<std::uint64_t>(time.Steps, one.Count());
    }
  }
  return time;
}

std::string TimesAlongFirst(const std::vector<Object>& objects, const Object& dataset)
{
  const Object* const times =
    dataset.Shape.size() > 1 ? TimesAlong(AllTimes(objects), dataset, 0) : nullptr;
  return times ? times->Path : "";
}

std::vector<Object> AtOneStep(std::vector<Object> objects, const PlainTime& time)
{
  std::erase_if(
    objects, [&](const Object& object) { return object.Dataset && object.Path == time.Times; });
  for (Object& object : objects)
  {
    const auto found = time.Dimensions.find(object.Path);
    if (found == time.Dimensions.end())
    {
      continue;
    }
    const auto place = static_cast<std::ptrdiff_t>(found->second);
    object.Shape.erase(object.Shape.begin() + place);
    if (object.Most.size() > object.Shape.size())
    {
      object.Most.erase(object.Most.begin() + place);
    }
  }
  return objects;
}

void InsertStep(Source& source, const PlainTime& time, std::size_t step)
{
  const auto* const stored = std::get_if<Stored>(&source.From);
  const auto found = stored ? time.Dimensions.find(stored->Path) : time.Dimensions.end();
  if (found != time.Dimensions.end())
  {
    source.Dimensions.insert(source.Dimensions.begin() + static_cast<std::ptrdiff_t>(found->second),
      Dimension{ Role::Time, step });
  }
}

}
