// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/DimensionScales.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

namespace
{
using Attribute = MemoryFacts::Attribute;
using Names = std::vector<std::string>;
using Numbers = std::vector<double>;

MemoryFacts::Entry& AddScale(MemoryFacts& file, const std::string& path, const Numbers& values)
{
  return file.Data(path, { values.size() }).With("CLASS", "DIMENSION_SCALE").Holding(values);
}

MemoryFacts::Entry& AddField(MemoryFacts& file, const std::string& path, const Names& scales,
  const std::vector<hsize_t>& shape)
{
  std::vector<Names> lists;
  for (const std::string& scale : scales)
  {
    lists.push_back(scale.empty() ? Names{} : Names{ scale });
  }
  return file.Data(path, shape).With("DIMENSION_LIST", Attribute::References(lists));
}

// A temperature over time, latitude and longitude.
void Fill(MemoryFacts& file)
{
  file.Group("/").With("_NCProperties", "version=2");
  AddScale(file, "/time", { 0, 6, 12 }).With("units", "hours since 2000-01-01");
  AddScale(file, "/lat", { 60, 30, 0 }).With("units", "degrees_north");
  AddScale(file, "/lon", { 0, 90, 180, 270 })
    .With("units", "degrees_east")
    .With("long_name", "longitude");
  AddField(file, "/T", { "/time", "/lat", "/lon" }, { 3, 3, 4 })
    .With("units", "K")
    .With("scale_factor", 0.5)
    .With("add_offset", 200)
    .With("_FillValue", -999);
}
}

TEST(DimensionScalesRecogniser, PutsFieldsOnTheirScales)
{
  CheckRecogniser(dsm::describe::RecogniseDimensionScales,
    {
      { "netCDF-4: the last step, latitudes from north to south", Fill,
        R"(netCDF-4: its datasets have dimension scales
time 12 hours since 2000-01-01
step 2 of 3, times 0 to 12
part lat, lon: uniform, 4 x 3 x 1 points, origin 0 0 0, spacing 90 30 1
  axes longitude [degrees_east]; lat [degrees_north]; 
  point array T [K]: /T[t=2, -y:3, x:4] * 0.5 + 200 without -999)" },
      { "the first step", Fill, R"(netCDF-4: its datasets have dimension scales
time 0 hours since 2000-01-01
step 0 of 3, times 0 to 12
part lat, lon: uniform, 4 x 3 x 1 points, origin 0 0 0, spacing 90 30 1
  axes longitude [degrees_east]; lat [degrees_north]; 
  point array T [K]: /T[t=0, -y:3, x:4] * 0.5 + 200 without -999)",
        0 },
      { "depths, at different distances",
        [](MemoryFacts& file)
        {
          AddScale(file, "/depth", { 0, 10, 30 }).With("positive", "down");
          AddField(file, "/S", { "/depth" }, { 3 });
        },
        R"(dimension scales: its datasets have dimension scales
part depth: rectilinear, 1 x 1 x 3 points, at 0; 0; /depth[-z:3] * -1
  axes ; ; depth
  point array S: /S[-z:3])" },
      { "scales without values and without meaning",
        [](MemoryFacts& file)
        {
          AddScale(file, "/a", {})
            .With("NAME", "This is a netCDF dimension but not a netCDF variable         5");
          AddField(file, "/u", { "/a", "/a" }, { 5, 6 });
        },
        R"(dimension scales: its datasets have dimension scales
part a, a: uniform, 6 x 5 x 1 points, origin 0 0 0, spacing 1 1 1
  axes a; a; 
  point array u: /u[y:5, x:6]
guessed: Dimension a = x
guessed: Dimension a = y
guessed: Coordinates along a = 0, 1, 2, ...)" },
      { "an unlimited dimension, and components",
        [](MemoryFacts& file)
        {
          AddScale(file, "/x", { 0, 1, 2, 3 });
          AddField(file, "/v", { "", "/x", "" }, { 2, 4, 3 }).Growing(0);
        },
        R"(dimension scales: its datasets have dimension scales
step 1 of 2, times 0 to 1
part x: uniform, 4 x 1 x 1 points, origin 0 0 0, spacing 1 1 1
  axes x; ; 
  point array v: /v[t=1, x:4, c:3]
guessed: Time = unlimited dimension of /v
guessed: Dimension 2 of /v = vector components (it has no scale)
guessed: Time = number of the step, from 0)" },
      { "a scale of time alone: pictures with few rows, and vectors",
        [](MemoryFacts& file)
        {
          AddScale(file, "/time", { 0, 0.5 });
          AddField(file, "/u", { "/time", "", "" }, { 2, 6, 64 }).Growing(0);
          AddField(file, "/v", { "/time", "", "", "" }, { 2, 6, 64, 2 }).Growing(0);
        },
        R"(dimension scales: its datasets have dimension scales
time 0.5
step 1 of 2, times 0 to 0.5
part 1, 2: uniform, 64 x 6 x 1 points, origin 0 0 0, spacing 1 1 1
  point array u: /u[t=1, y:6, x:64]
  point array v: /v[t=1, y:6, x:64, c:2]
guessed: Dimension number 2 = x
guessed: Dimension number 1 = y
guessed: Dimension 3 of /v = vector components (it has no scale)
guessed: Coordinates along x = 0, 1, 2, ...
guessed: Coordinates along y = 0, 1, 2, ...)" },
      { "components along x and z",
        [](MemoryFacts& file)
        {
          AddScale(file, "/x", { 0, 1, 2, 3 });
          AddScale(file, "/z", { 0, 1, 2 });
          AddField(file, "/v", { "", "/x", "/z" }, { 2, 4, 3 });
        },
        R"(dimension scales: its datasets have dimension scales
part x, z: uniform, 4 x 1 x 3 points, origin 0 0 0, spacing 1 1 1
  axes x; ; z
  point array v: /v[0, x:4, z:3], 0, /v[1, x:4, z:3]
guessed: Dimension 0 of /v = vector components (it has no scale)
guessed: Components of /v = x and z)" },
      { "a curved grid, and what names no field",
        [](MemoryFacts& file)
        {
          AddScale(file, "/i", { 0, 1, 2, 3 });
          AddScale(file, "/j", { 0, 1, 2 });
          AddField(file, "/lon", { "/j", "/i" }, { 3, 4 }).With("units", "degrees_east");
          AddField(file, "/lat", { "/j", "/i" }, { 3, 4 }).With("units", "degrees_north");
          AddField(file, "/T", { "/j", "/i" }, { 3, 4 })
            .With("coordinates", "lon lat")
            .With("grid_mapping", "crs");
          file.Data("/crs", { 1 });
        },
        R"(dimension scales: its datasets have dimension scales
part j, i: curvilinear, 4 x 3 x 1 points, at /lon[y:3, x:4], /lat[y:3, x:4], 0
  axes i; j; 
  point array T: /T[y:3, x:4]
guessed: Dimension i = x
guessed: Dimension j = y
left out: /crs: /T names it in its grid_mapping)" },
      { "stations",
        [](MemoryFacts& file)
        {
          AddScale(file, "/station", { 1, 2, 3, 4, 5 });
          AddField(file, "/lon", { "/station" }, { 5 }).With("units", "degrees_east");
          AddField(file, "/lat", { "/station" }, { 5 }).With("units", "degrees_north");
          AddField(file, "/T", { "/station" }, { 5 }).With("coordinates", "lat lon");
        },
        R"(dimension scales: its datasets have dimension scales
part station: 5 points without cells, at /lon[i:5], /lat[i:5]
  point array T: /T[i:5])" },
      { "times that do not ascend, and what is left out",
        [](MemoryFacts& file)
        {
          Fill(file);
          AddScale(file, "/time", { 0, 6, 6 }).With("units", "h");
          AddField(file, "/mean", { "/time" }, { 3 });
          file.Data("/words", { 3 }).OfType("text");
          file.Data("/loose", { 3 });
          AddField(file, "/empty", { "/lat" }, { 0 });
          AddField(file, "/deep/T", { "/lat", "/lon" }, { 3, 4 });
        },
        R"(netCDF-4: its datasets have dimension scales
time 6 h
part lat, lon: uniform, 4 x 3 x 1 points, origin 0 0 0, spacing 90 30 1
  axes longitude [degrees_east]; lat [degrees_north]; 
  point array T [K]: /T[t=2, -y:3, x:4] * 0.5 + 200 without -999
  point array deep/T: /deep/T[-y:3, x:4]
guessed: Only the last step is loaded (the times of the 3 steps do not ascend)
left out: /empty: it is empty
left out: /loose: it has no dimension scales
left out: /mean: it has no dimension in space
left out: /words: its type is not numeric (text))" },
    });
}

// As PIO and E3SM tell netCDF to write.
TEST(DimensionScalesRecogniser, FindsScalesThatAreNotAttached)
{
  CheckRecogniser(dsm::describe::RecogniseDimensionScales,
    {
      { "the numbers of netCDF's dimensions",
        [](MemoryFacts& file)
        {
          file.Group("/").With("_NCProperties", "version=2");
          AddScale(file, "/time", { 10, 11, 12 })
            .With("_Netcdf4Dimid", 0.0)
            .With("units", "days since 2000-01-01");
          AddScale(file, "/y", { 0, 1, 2, 3, 4 }).With("_Netcdf4Dimid", 1);
          AddScale(file, "/x", { 0, 2, 4, 6 }).With("_Netcdf4Dimid", 2);
          file.Data("/T", { 3, 5, 4 }).With("_Netcdf4Coordinates", std::vector<double>{ 0, 1, 2 });
          file.Data("/bad", { 3, 5 }).With("_Netcdf4Coordinates", std::vector<double>{ 7, 8 });
        },
        R"(netCDF-4: its datasets have dimension scales
time 12 days since 2000-01-01
step 2 of 3, times 10 to 12
part y, x: uniform, 4 x 5 x 1 points, origin 0 0 0, spacing 2 1 1
  axes x; y; 
  point array T: /T[t=2, y:5, x:4]
left out: /bad: it has no dimension scales)" },
    });
}

TEST(DimensionScalesRecogniser, SaysThatThereIsNothingYet)
{
  CheckRecogniser(dsm::describe::RecogniseDimensionScales,
    {
      { "empty fields",
        [](MemoryFacts& file)
        {
          AddScale(file, "/x", { 0, 1, 2, 3 });
          AddField(file, "/u", { "/x" }, { 0 });
        },
        R"(error: there is nothing in it yet: its datasets with dimension scales are empty, or the files are not there that they are put together of)" },
      { "fields of time alone",
        [](MemoryFacts& file)
        {
          AddScale(file, "/time", { 0, 1 });
          AddField(file, "/u", { "/time" }, { 2 });
        },
        R"(error: the datasets of /runs/out.h5 have dimension scales, and none of them has a dimension in space: there is nothing to show)" },
      { "a field that is ahead of its times",
        [](MemoryFacts& file)
        {
          AddScale(file, "/time", {});
          AddScale(file, "/x", { 0, 1, 2, 3 });
          AddField(file, "/u", { "/time", "/x" }, { 1, 4 });
        },
        R"(error: there is nothing in it yet: it has no step)" },
    });
}

TEST(DimensionScalesRecogniser, IgnoresOtherFiles)
{
  CheckRecogniser(dsm::describe::RecogniseDimensionScales,
    {
      { "nothing", [](MemoryFacts&) {}, "not recognised" },
      { "a field without scales", [](MemoryFacts& file) { file.Data("/u", { 3, 4 }); },
        "not recognised" },
      { "scales alone", [](MemoryFacts& file) { AddScale(file, "/x", { 0, 1 }); },
        "not recognised" },
    });
}
