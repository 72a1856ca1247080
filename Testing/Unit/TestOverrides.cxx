// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Overrides.h"

#include "Base/Error.h"
#include "Describe/Check.h"
#include "Describe/DescriptionText.h"

#include <gtest/gtest.h>

using namespace dsm::describe;

namespace
{
// u[2][3][4], v[2][3][4][3] and a profile along z, as plain rules show them.
Description Image()
{
  Description made{ "image", "by shapes" };
  Part part{ "image", Uniform{ { 4, 3, 2 } } };
  const std::vector<Dimension> grid{ { Role::Z, 0, 2 }, { Role::Y, 0, 3 }, { Role::X, 0, 4 } };
  auto vectors = grid;
  vectors.push_back({ Role::Component, 0, 3 });
  part.Arrays = { { "u", Centring::Point, { { Stored{ "/u" }, grid } } },
    { "v", Centring::Point, { { Stored{ "/v" }, vectors } } },
    { "p", Centring::Point, { { Stored{ "/p" }, { grid[0] } } } } };
  made.Parts = { part };
  made.Assumed = { { Setting::Origin, "the origin" }, { Setting::Spacing, "the spacing" },
    { Setting::AxisOrder, "the order" }, { Setting::Centring, "points" } };
  made.Guessed = { "more" };
  return made;
}

// The axes of u are coordinates of their own, of y descending ones.
Description OnCoordinates()
{
  Description made = Image();
  Rectilinear on{ { 4, 3, 2 } };
  on.Axes = { Source{ Stored{ "/x" }, { { Role::X, 0, 4 } } },
    Source{ Stored{ "/y" }, { { Role::Y, 0, 3, 1, true } } },
    Source{ Stored{ "/z" }, { { Role::Z, 0, 2 } } } };
  made.Parts[0].On = on;
  made.Parts[0].Arrays.resize(1);
  made.Parts[0].Arrays[0].Sources[0].Dimensions[1].Reversed = true;
  return made;
}

Description Table()
{
  Description made{ "table", "by shapes" };
  made.Parts = { { "table", Rows{ 5 } } };
  made.Times = { 1, 2, 4 };
  made.Step = 1;
  return made;
}

Description Flat()
{
  Description made{ "image", "by shapes" };
  Part part{ "image", Uniform{ { 4, 3, 1 } } };
  part.Arrays = { { "u", Centring::Point,
    { { Stored{ "/u" }, { { Role::Y, 0, 3 }, { Role::X, 0, 4 } } } } } };
  made.Parts = { part };
  return made;
}

using Make = Description (*)();

struct Case
{
  const char* Name;
  Make From;
  Overrides Set;
  std::vector<double> Times;
  std::optional<std::size_t> Step;
  std::vector<std::string> Says; ///< lines of the description, or parts of the error
};

void PrintTo(const Case& one, std::ostream* out)
{
  *out << one.Name;
}

Overrides Order(const char* order)
{
  Overrides set;
  set.AxisOrder = order;
  return set;
}

Overrides Origin(const char* origin)
{
  Overrides set;
  set.Origin = origin;
  return set;
}

Overrides Spacing(const char* spacing)
{
  Overrides set;
  set.Spacing = spacing;
  return set;
}

Overrides On(Overrides::Centring centring)
{
  Overrides set;
  set.On = centring;
  return set;
}

Overrides Time(const char* time, const char* order = "")
{
  Overrides set = Order(order);
  set.Time = time;
  return set;
}

const Case Possible[] = {
  { "Reversed", Image, Order("xyz"), {}, {},
    { "part image: uniform, 2 x 3 x 4 points, origin 0 0 0, spacing 1 1 1",
      "  point array u: /u[x:2, y:3, z:4]", "  point array v: /v[x:2, y:3, z:4, c:3]",
      "  point array p: /p[x:2]", "set: Axis order xyz" } },
  { "AsItIs", Image, Order("z, y, x"), {}, {},
    { "part image: uniform, 4 x 3 x 2 points, origin 0 0 0, spacing 1 1 1",
      "  point array u: /u[z:2, y:3, x:4]" } },
  { "Components", Image, Order("yxc"), {}, {},
    { "part image: uniform, 3 x 2 x 1 points, origin 0 0 0, spacing 1 1 1",
      "  point array u: /u[y:2, x:3, c:4]",
      "left out: v: it has not the dimensions of the axis order \"yxc\"" } },
  { "ComponentsFirst", Image, Order("czyx"), {}, {},
    { "part image: uniform, 3 x 4 x 3 points, origin 0 0 0, spacing 1 1 1",
      "  point array v: /v[c:2, z:3, y:4, x:3]" } },
  { "OneIndex", Image, Order("1yx"), {}, {},
    { "part image: uniform, 4 x 3 x 1 points, origin 0 0 0, spacing 1 1 1",
      "  point array u: /u[1, y:3, x:4]" } },
  { "LastStep", Image, Order("tyx"), {}, {},
    { "part image: uniform, 4 x 3 x 1 points, origin 0 0 0, spacing 1 1 1",
      "  point array u: /u[t=1, y:3, x:4]", "time 1", "step 1 of 2, times 0 to 1",
      "guessed: Time = step number" } },
  { "FirstStep", Image, Time("/t", "tyx"), { 2.5, 3 }, 0,
    { "  point array u: /u[t=0, y:3, x:4]", "time 2.5", "step 0 of 2, times 2.5 to 3",
      "set: Time from /t" } },
  { "AnotherPlane", Flat, Order("zx"), {}, {},
    { "part image: uniform, 4 x 1 x 3 points, origin 0 0 0, spacing 1 1 1",
      "  point array u: /u[z:3, x:4]" } },
  { "CoordinatesThatFit", OnCoordinates, Order("zyx"), {}, {},
    { "  point array u: /u[z:2, -y:3, x:4]" } },
  { "Origin", Image, Origin("1 -2e-1, 3"), {}, {},
    { "part image: uniform, 4 x 3 x 2 points, origin 1 -0.2 3, spacing 1 1 1",
      "set: Origin 1 -2e-1, 3" } },
  { "OriginOfTwo", Flat, Origin("[1, 2]"), {}, {},
    { "part image: uniform, 4 x 3 x 1 points, origin 1 2 0, spacing 1 1 1" } },
  { "Spacing", Image, Spacing("0.5 1 2"), {}, {},
    { "part image: uniform, 4 x 3 x 2 points, origin 0 0 0, spacing 0.5 1 2" } },
  { "OneSpacing", Image, Spacing("0.25"), {}, {},
    { "part image: uniform, 4 x 3 x 2 points, origin 0 0 0, spacing 0.25 0.25 0.25" } },
  { "Cells", Flat, On(Overrides::Centring::Cells), {}, {},
    { "part image: uniform, 5 x 4 x 1 points, origin 0 0 0, spacing 1 1 1",
      "  cell array u: /u[y:3, x:4]", "set: Cell data" } },
  { "PointsAsBefore", Flat, On(Overrides::Centring::Points), {}, {},
    { "  point array u: /u[y:3, x:4]" } },
  { "TimeOfSteps", Table, Time("/t"), { 3, 5, 7 }, {}, { "step 1 of 3, times 3 to 7", "time 5" } },
  { "TimeOfOne", Image, Time("2.5"), { 2.5 }, {}, { "time 2.5" } },
};

const Case Impossible[] = {
  { "Twice", Image, Order("xxy"), {}, {}, { "names x twice", "as in \"zyx\"" } },
  { "NoAxis", Image, Order("ct"), {}, {}, { "names none of x, y and z" } },
  { "AnotherLetter", Image, Order("zyq"), {}, {}, { "has \"q\"" } },
  { "TooFew", Image, Order("yx"), {}, {}, { "names 2 dimensions", "no dataset on a grid" } },
  { "NoGrid", Table, Order("zyx"), {}, {}, { "no dataset on a grid" } },
  { "OtherCoordinates", OnCoordinates, Order("xyz"), {}, {},
    { "image has 2 points along x, where the file has 4 coordinates" } },
  { "IndexBeyond", Flat, Order("3x"), {}, {}, { "u: it has no index 3 in a dimension of 3" } },
  { "TwoNumbers", Image, Origin("1 2"), {}, {},
    { "the origin \"1 2\" has 2 numbers, and image needs 3, of x, y and z" } },
  { "NoNumber", Image, Origin("1 2 here"), {}, {}, { "\"here\" in the origin" } },
  { "Zero", Image, Spacing("1 0 1"), {}, {},
    { "the spacing \"1 0 1\" cannot be", "greater than 0" } },
  { "Negative", Image, Spacing("-1"), {}, {}, { "greater than 0" } },
  { "Endless", Image, Spacing("inf"), {}, {}, { "\"inf\" in the spacing" } },
  { "NoUniform", OnCoordinates, Spacing("1"), {}, {},
    { "at equal distances, and image has none" } },
  { "NoCells", OnCoordinates, On(Overrides::Centring::Cells), {}, {},
    { "the values of image cannot be of cells", "as many coordinates as values" } },
  { "NoGridOfCells", Table, On(Overrides::Centring::Cells), {}, {}, { "table has none" } },
  { "NoTime", Image, Time("/none"), {}, {}, { "there is no number at \"/none\"" } },
  { "OtherTimes", Table, Time("/t"), { 1, 2 }, {}, { "has 2 numbers", "the file has 3 steps" } },
  { "NotAscending", Table, Time("/t"), { 1, 3, 2 }, {}, { "do not ascend" } },
};

class Overridden : public testing::TestWithParam<Case>
{
};
class Refused : public testing::TestWithParam<Case>
{
};
}

TEST_P(Overridden, IsShownSo)
{
  const Case& one = GetParam();
  const Description made = Override(one.From(), one.Set, one.Times, one.Step);
  EXPECT_NO_THROW(Check(made));
  const std::string text = "\n" + Text(made);
  for (const std::string& line : one.Says)
  {
    EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line << "\nis not in" << text;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Overridden, testing::ValuesIn(Possible),
  [](const auto& info) { return std::string(info.param.Name); });

TEST_P(Refused, SaysWhy)
{
  const Case& one = GetParam();
  try
  {
    const Description made = Override(one.From(), one.Set, one.Times, one.Step);
    FAIL() << Text(made);
  }
  catch (const dsm::Error& error)
  {
    for (const std::string& part : one.Says)
    {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Refused, testing::ValuesIn(Impossible),
  [](const auto& info) { return std::string(info.param.Name); });

TEST(Overrides, WhatIsSetIsNoMoreGuessed)
{
  Overrides set = Spacing("2");
  set.Origin = "0 0 0";
  const Description made = Override(Image(), set, {}, {});
  const std::vector<Settable> left{ { Setting::AxisOrder, "the order" },
    { Setting::Centring, "points" } };
  EXPECT_EQ(made.Assumed, left);
  EXPECT_EQ(made.Guessed, std::vector<std::string>{ "more" });
  const std::vector<Settable> put{ { Setting::Origin, "Origin 0 0 0" },
    { Setting::Spacing, "Spacing 2" } };
  EXPECT_EQ(made.Set, put);
}

TEST(Overrides, NothingIsSet)
{
  EXPECT_FALSE(Overrides().Any());
  EXPECT_EQ(Override(Image(), {}, {}, {}), Image());
}
