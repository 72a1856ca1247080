// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/PlainShapes.h"

#include "Describe/ObjectSources.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
constexpr hsize_t MostPerRow = 9; // a tensor

bool IsPlace(const DatasetPattern::Letter& letter)
{
  return letter.Is == 'x' || letter.Is == 'y' || letter.Is == 'z';
}

bool HasNumbers(const Object& object)
{
  return object.Elements() > 0 &&
    (object.Numbers || !object.Members.empty() || !object.ArrayMembers.empty());
}
}

std::string ShapeText(const Shape& shape)
{
  return fmt::format("{}", fmt::join(shape, " x "));
}

bool IsGrid(const Object& object, const AxisOrder& order)
{
  const std::size_t rank = object.Shape.size();
  if (!order.empty())
  {
    // One dimension more may count components.
    const bool said =
      std::any_of(order.begin(), order.end(), [](const auto& letter) { return letter.Is == 'c'; });
    return HasNumbers(object) &&
      (rank == order.size() ||
        (!said && rank == order.size() + 1 && object.Shape.back() <= MostPerRow));
  }
  return HasNumbers(object) &&
    ((rank >= 1 && rank <= 3) || (rank == 4 && object.Shape[3] <= MostPerRow));
}

std::vector<bool> PlacesOf(const Object& object, const AxisOrder& order)
{
  std::vector<bool> places(object.Shape.size(), true);
  if (order.empty() && places.size() == 4)
  {
    places.back() = false;
  }
  for (std::size_t axis = 0; !order.empty() && axis < places.size(); ++axis)
  {
    places[axis] = axis < order.size() && IsPlace(order[axis]);
  }
  return places;
}

Shape GridShape(const Object& object, const AxisOrder& order)
{
  Shape shape;
  const auto places = PlacesOf(object, order);
  for (std::size_t axis = 0; axis < places.size(); ++axis)
  {
    if (places[axis])
    {
      shape.push_back(object.Shape[axis]);
    }
  }
  return shape;
}

bool IsColumn(const Object& object)
{
  return HasNumbers(object) &&
    (object.Shape.size() == 1 || (object.Shape.size() == 2 && object.Shape[1] <= MostPerRow));
}

Source ColumnSource(const Object& column)
{
  return column.Shape.size() == 2 ? SourceOf(column, { Role::Index, Role::Component })
                                  : SourceOf(column, { Role::Index });
}

const Object* Largest(const std::vector<Object>& objects)
{
  const auto largest = std::max_element(objects.begin(), objects.end(),
    [](const Object& a, const Object& b) { return a.Elements() < b.Elements(); });
  return largest == objects.end() ? nullptr : &*largest;
}

}
