// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/AxisMeaning.h"

#include "Describe/Text.h"

#include <algorithm>
#include <iterator>

namespace dsm::describe
{

namespace
{
struct Word
{
  const char* Text;
  Role Means;
};

constexpr Word Axes[] = { { "x", Role::X }, { "y", Role::Y }, { "z", Role::Z },
  { "t", Role::Time } };
constexpr Word Standard[] = { { "longitude", Role::X }, { "latitude", Role::Y },
  { "grid_longitude", Role::X }, { "grid_latitude", Role::Y },
  { "projection_x_coordinate", Role::X }, { "projection_y_coordinate", Role::Y },
  { "height", Role::Z }, { "depth", Role::Z }, { "altitude", Role::Z }, { "air_pressure", Role::Z },
  { "model_level_number", Role::Z }, { "time", Role::Time } };
constexpr Word Names[] = { { "x", Role::X }, { "y", Role::Y }, { "z", Role::Z },
  { "t", Role::Time }, { "lon", Role::X }, { "lat", Role::Y }, { "longitude", Role::X },
  { "latitude", Role::Y }, { "nav_lon", Role::X }, { "nav_lat", Role::Y }, { "lev", Role::Z },
  { "level", Role::Z }, { "plev", Role::Z }, { "height", Role::Z }, { "depth", Role::Z },
  { "altitude", Role::Z }, { "time", Role::Time }, { "sim_time", Role::Time },
  { "ocean_time", Role::Time }, { "time_counter", Role::Time }, { "west_east", Role::X },
  { "south_north", Role::Y }, { "bottom_top", Role::Z }, { "xi_rho", Role::X },
  { "eta_rho", Role::Y }, { "s_rho", Role::Z }, { "nx", Role::X }, { "ny", Role::Y },
  { "nz", Role::Z }, { "kx", Role::X }, { "ky", Role::Y }, { "kz", Role::Z } };

template <std::size_t Count>
std::optional<Role> Find(const Word (&words)[Count], const std::string& text)
{
  const auto* const found = std::find_if(
    std::begin(words), std::end(words), [&](const Word& word) { return text == word.Text; });
  return found == std::end(words) ? std::nullopt : std::optional(found->Means);
}

// "degrees_north", "degree_N", "degreesE" …
std::optional<Role> OfUnits(const std::string& units)
{
  if (units.find(" since ") != std::string::npos)
  {
    return Role::Time;
  }
  for (const char* const degree : { "degrees_", "degree_", "degrees", "degree" })
  {
    const std::string before = degree;
    if (units.rfind(before, 0) == 0)
    {
      const std::string direction = units.substr(before.size());
      if (direction == "north" || direction == "n")
      {
        return Role::Y;
      }
      if (direction == "east" || direction == "e")
      {
        return Role::X;
      }
    }
  }
  return std::nullopt;
}
}

std::optional<Role> MeaningOf(const AxisWords& words)
{
  if (const auto axis = Find(Axes, LowerCase(words.Axis)))
  {
    return axis;
  }
  if (const auto units = OfUnits(LowerCase(words.Units)))
  {
    return units;
  }
  const std::string positive = LowerCase(words.Positive);
  if (positive == "up" || positive == "down")
  {
    return Role::Z;
  }
  if (const auto standard = Find(Standard, LowerCase(words.StandardName)))
  {
    return standard;
  }
  return Find(Names, LowerCase(words.Name));
}

}
