// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/CfAttributes.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

using namespace dsm::describe;

TEST(CfAttributes, NameDatasetsInTheGroupAndAbove)
{
  struct Case
  {
    const char* Name;
    const char* Attribute;
    std::vector<std::string> Paths;
  };
  const std::vector<Case> table = {
    { "in the group itself", "lon", { "/run/fine/lon" } },
    { "in a group above", "lat depth", { "/run/lat", "/depth" } },
    { "by an absolute path", "/lon", { "/lon" } },
    { "not below the root only", "/lat", {} },
    { "several white spaces", "  lon\n\tlat ", { "/run/fine/lon", "/run/lat" } },
    { "a name that is not there", "time lat", { "/run/lat" } },
    { "nothing", "", {} },
  };
  for (const Case& one : table)
  {
    SCOPED_TRACE(one.Name);
    MemoryFacts file;
    for (const char* const path : { "/run/fine/lon", "/run/lat", "/depth", "/lon" })
    {
      file.Data(path, { 3 });
    }
    file.Data("/run/fine/T", { 3 }).With("coordinates", one.Attribute);
    std::vector<std::string> paths;
    for (const auto* const found : cf::NamedIn(file, *file.ObjectAt("/run/fine/T"), "coordinates"))
    {
      paths.push_back(found->Path);
    }
    EXPECT_EQ(paths, one.Paths);
  }
}

TEST(CfAttributes, SayHowNumbersArePacked)
{
  MemoryFacts file;
  file.Data("/T", { 3 })
    .With("scale_factor", 0.5)
    .With("add_offset", 200)
    .With("_FillValue", -999)
    .With("missing_value", std::vector<double>{ -999, -1 });
  Source source;
  cf::Unpack(file, "/T", source);
  EXPECT_EQ(source.Scale, 0.5);
  EXPECT_EQ(source.Offset, 200);
  EXPECT_EQ(source.Missing, (std::vector<double>{ -999, -1 }));
  file.Data("/plain", { 3 });
  cf::Unpack(file, "/plain", source);
  EXPECT_EQ(source.Scale, 1);
  EXPECT_EQ(source.Offset, 0);
}

TEST(CfAttributes, GiveAxesTitles)
{
  MemoryFacts file;
  const auto text = [&](const char* path) { return cf::AxisText(file, *file.ObjectAt(path), "x"); };
  file.Data("/a", { 3 }).With("long_name", "longitude").With("units", "degrees_east");
  file.Data("/b", { 3 }).With("standard_name", "height");
  file.Data("/c", { 3 }).With("units", "m");
  EXPECT_EQ(text("/a"), "longitude [degrees_east]");
  EXPECT_EQ(text("/b"), "height");
  EXPECT_EQ(text("/c"), "x [m]");
}
