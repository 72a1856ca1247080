// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/ScaleGeometry.h"

#include "Describe/CfAttributes.h"
#include "Describe/ObjectSources.h"
#include "Describe/OnAxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace dsm::describe
{

using hdf5::Object;

ScaleGeometry::ScaleGeometry(const FileFacts& file, const ScaleIndex& index,
  const ScaleSteps& steps, DescriptionBuilder& result)
  : File(file)
  , Index(index)
  , Steps(steps)
  , Result(result)
{
}

Geometry ScaleGeometry::Of(ScaledVariable& variable)
{
  if (variable.Has(Role::Index))
  {
    return this->ListedPoints(variable);
  }
  PerAxis points{};
  for (const Role role : SpatialRoles)
  {
    points[AxisOf(role)] = variable.CountOf(role);
  }
  if (auto at = this->CurvilinearAt(variable); !at.empty())
  {
    at.push_back(this->AxisAlong(variable, Role::Z).first);
    return Curvilinear{ points, std::move(at) };
  }
  std::array<Source, 3> axes;
  std::array<AxisValues, 3> values;
  for (const Role role : SpatialRoles)
  {
    std::tie(axes[AxisOf(role)], values[AxisOf(role)]) = this->AxisAlong(variable, role);
  }
  OnAxes made = PutOnAxes(points, std::move(axes), values);
  for (Dimension& dimension : variable.Dimensions)
  {
    dimension.Reversed = IsSpatial(dimension.Is) && made.Reversed.at(AxisOf(dimension.Is));
  }
  return std::move(made.On);
}

Vertices ScaleGeometry::ListedPoints(const ScaledVariable& variable)
{
  Vertices on{ variable.CountOf(Role::Index) };
  for (const Object* const named : variable.AlongIndex)
  {
    Source source = ListSource(named->Path, on.Count);
    cf::Unpack(this->File, named->Path, source);
    on.At.push_back(std::move(source));
    this->Result.Use(named->Path);
  }
  return on;
}

std::vector<Source> ScaleGeometry::CurvilinearAt(const ScaledVariable& variable)
{
  std::vector<Source> at;
  for (const Role role : { Role::X, Role::Y })
  {
    for (const Object* named : variable.Coordinates)
    {
      ScaledVariable coordinate = this->Index.VariableOf(*named);
      if (cf::MeaningOf(this->File, *named) != role || coordinate.Scales.size() < 2 ||
        at.size() > AxisOf(role))
      {
        continue;
      }
      for (std::size_t axis = 0; axis < coordinate.Scales.size(); ++axis)
      {
        const Scale* const scale = coordinate.Scales[axis];
        const Role is = !scale                    ? Role::Fixed
          : scale == variable.ScaleOf(Role::X)    ? Role::X
          : scale == variable.ScaleOf(Role::Y)    ? Role::Y
          : scale == variable.ScaleOf(Role::Time) ? Role::Time
                                                  : Role::Fixed;
        coordinate.Dimensions.push_back({ is, 0, named->Shape[axis] });
      }
      if (coordinate.Has(Role::X) && coordinate.Has(Role::Y))
      {
        at.push_back(this->Steps.SourceOf(coordinate));
        this->Result.Use(named->Path);
      }
    }
  }
  return at.size() == 2 ? at : std::vector<Source>{};
}

std::pair<Source, AxisValues> ScaleGeometry::AxisAlong(const ScaledVariable& variable, Role role)
{
  const std::uint64_t count = variable.CountOf(role);
  const Scale* const scale = variable.ScaleOf(role);
  if (!variable.Has(role))
  {
    return { { Constant{ 0 } }, Examine({ 0 }) };
  }
  if (!scale || !scale->HasValues || scale->Length < count)
  {
    std::vector<double> counted = EquallySpaced(count);
    this->Result.Guess(fmt::format("Coordinates along {} = 0, 1, 2, ...",
      scale ? scale->Name : std::string(1, "xyz"[AxisOf(role)])));
    const AxisValues values = Examine(counted);
    return { { Literal{ std::move(counted) }, { { role, 0, count } } }, values };
  }
  this->Result.Use(scale->Path);
  Source source = scale->Values;
  source.Dimensions[0].Count = count;
  const AxisValues values = Examine(this->File.Values(source));
  source.Dimensions[0].Is = role;
  return { source, values };
}

}
