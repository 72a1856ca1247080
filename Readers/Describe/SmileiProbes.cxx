// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/SmileiProbes.h"

#include "Describe/DescriptionBuilder.h"
#include "Describe/NothingYet.h"
#include "Describe/ObjectSources.h"
#include "Describe/Text.h"

#include <algorithm>

namespace dsm::describe
{

using hdf5::Object;

namespace
{
// The datasets that are steps have the step's number as their name.
std::vector<const Object*> StepsOf(const FileFacts& file)
{
  constexpr std::size_t digits = 10;
  std::vector<const Object*> steps;
  for (const Object& object : file.Objects())
  {
    const std::string name = object.Path.substr(1);
    if (object.Numbers && name.size() == digits &&
      name.find_first_not_of("0123456789") == std::string::npos)
    {
      steps.push_back(&object);
    }
  }
  return steps;
}

Vertices PointsAt(const Object& positions, double moved)
{
  Vertices on{ positions.Shape[0] };
  for (hsize_t axis = 0; axis < positions.Shape[1]; ++axis)
  {
    Source source = ListSource(positions.Path, positions.Shape[0]);
    source.Dimensions.push_back({ Role::Fixed, axis });
    source.Offset = axis == 0 ? moved : 0;
    on.At.push_back(std::move(source));
  }
  return on;
}
}

std::optional<Description> RecogniseSmileiProbes(const Asked& asked)
{
  const FileFacts& file = asked.File;
  const auto fields = Split(file.Text("/", "fields"), ",");
  if (fields.empty() || !file.Has("/", "time_integral") || !file.Find("/p0") ||
    !file.Find("/number"))
  {
    return std::nullopt;
  }
  DescriptionBuilder result(asked);
  result.SetFormat("Smilei probes", "the file has probes and their fields, as Smilei writes them");
  const auto steps = StepsOf(file);
  const Object* const positions = file.Find("/positions");
  if (steps.empty() || !positions)
  {
    throw NothingYet("Smilei probes", "it has no step");
  }
  if (!positions->Numbers || positions->Shape.size() != 2 || positions->Shape[1] < 1 ||
    positions->Shape[1] > 3)
  {
    result.Refuse("/positions has {} elements", positions->ShapeText());
  }
  std::vector<double> times;
  times.reserve(steps.size());
  for (const Object* step : steps)
  {
    times.push_back(AsNumber(step->Name()).value_or(0));
  }
  const Object& shown = *steps[result.ChooseStep(steps.size())];
  result.SetTimes(std::move(times));
  result.Assume(Setting::Time, "Time = step number");
  if (shown.Shape.size() != 2 || shown.Shape[0] != fields.size() ||
    shown.Shape[1] != positions->Shape[0])
  {
    result.Refuse("{} has {} elements, and there are {} fields at {} points", shown.Path,
      shown.ShapeText(), fields.size(), positions->Shape[0]);
  }
  Part part{ "probe", PointsAt(*positions, file.NumberOr(shown.Path, "x_moved", 0)) };
  std::vector<std::pair<std::string, Source>> named;
  named.reserve(fields.size());
  for (std::size_t field = 0; field < fields.size(); ++field)
  {
    named.emplace_back(fields[field],
      Source{
        Stored{ shown.Path }, { { Role::Fixed, field }, { Role::Index, 0, shown.Shape[1] } } });
  }
  AddJoined(part, Centring::Point, named);
  result.AddPart(std::move(part));
  // The corners and numbers of points say what the positions say, and others are other steps.
  result.LeaveOutOthers(file.Objects(), [](const Object&) { return std::string(); });
  return result.Finish();
}

}
