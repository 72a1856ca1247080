// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/ObjectSources.h"

#include <fmt/format.h>

namespace dsm::describe
{

bool IsComplex(const std::vector<std::string>& members)
{
  return members == std::vector<std::string>{ "r", "i" } ||
    members == std::vector<std::string>{ "real", "imag" };
}

std::vector<Array> ArraysOf(
  const hdf5::Object& object, const std::string& name, Centring on, const Source& source)
{
  if (object.Numbers)
  {
    return { { name, on, { source } } };
  }
  std::vector<Array> arrays;
  for (const std::string& member : object.Members)
  {
    Array& array = arrays.emplace_back(Array{ fmt::format("{}.{}", name, member), on, { source } });
    std::get<Stored>(array.Sources.front().From).Member = member;
  }
  for (const auto& [member, shape] : object.ArrayMembers)
  {
    Array& array = arrays.emplace_back(
      Array{ member.empty() ? name : fmt::format("{}.{}", name, member), on, { source } });
    Source& whole = array.Sources.front();
    std::get<Stored>(whole.From).Member = member;
    for (const hsize_t count : shape)
    {
      whole.Dimensions.push_back({ Role::Component, 0, count });
    }
  }
  // A complex number is no component of something else.
  if (IsComplex(object.Members) && object.ArrayMembers.empty() &&
    object.Shape.size() == source.Dimensions.size() && ComponentsOf(source) == 1)
  {
    return { { name, on, { arrays[0].Sources.front(), arrays[1].Sources.front() }, ComplexNames } };
  }
  return arrays;
}

Source SourceOf(const hdf5::Object& object, const std::vector<Role>& roles)
{
  Source source{ Stored{ object.Path } };
  for (std::size_t axis = 0; axis < roles.size(); ++axis)
  {
    source.Dimensions.push_back({ roles[axis], 0, object.Shape[axis] });
  }
  return source;
}

Source ListSource(const std::string& path, std::uint64_t count)
{
  return { Stored{ path }, { { Role::Index, 0, count } } };
}

Source GridSource(const hdf5::Object& object)
{
  std::vector<Role> roles(object.Shape.size());
  for (std::size_t axis = 0; axis < roles.size(); ++axis)
  {
    roles[axis] = SpatialRoles.at(roles.size() - 1 - axis);
  }
  return SourceOf(object, roles);
}

}
