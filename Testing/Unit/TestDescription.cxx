// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/DescriptionText.h"

#include <gtest/gtest.h>

using namespace dsm::describe;

namespace
{
Description Example()
{
  Description made;
  made.Format = "example";
  made.Rule = "it is one";
  made.Time = 2.5;
  made.TimeUnits = "s";
  made.Times = { 0.5, 2.5 };
  made.Step = 1;
  Part grid{ "fields", Uniform{ { 8, 4, 1 }, { 0, 1, 0 }, { 0.5, 0.5, 1 } } };
  Source u{ Stored{ "/u" },
    { { Role::Time, 1 }, { Role::Y, 0, 4, 1, true }, { Role::X, 2, 8, 3 } } };
  u.Scale = 10;
  u.Missing = { -999 };
  Source offset{ Stored{ "/data", {}, "r", 96 }, { { Role::X, 0, 8 } } };
  Source moved{ Constant{ 3 } };
  moved.Added.push_back(offset);
  grid.Arrays = { { "u", Centring::Point, { u }, {}, "m" },
    { "v", Centring::Cell, { moved, { Literal{ { 1, 2 } }, { { Role::X, 0, 2 } } } },
      { "a", "b" } } };
  made.Parts.push_back(grid);
  made.Guessed.emplace_back("the spacing");
  made.Assumed.push_back({ Setting::Origin, "the origin" });
  made.Set.push_back({ Setting::Time, "the time" });
  made.Left.push_back({ "/names", "text" });
  return made;
}
}

TEST(Description, IsTold)
{
  EXPECT_EQ(Text(Example()),
    "example: it is one\n"
    "time 2.5 s\n"
    "step 1 of 2, times 0.5 to 2.5\n"
    "part fields: uniform, 8 x 4 x 1 points, origin 0 1 0, spacing 0.5 0.5 1\n"
    "  point array u [m]: /u[t=1, -y:4, x:8 from 2 by 3] * 10 without -999\n"
    "  cell array v (a, b): 3 + /data.r from its element 96[x:8], {1 2}[x:2]\n"
    "set: the time\n"
    "guessed: the spacing\n"
    "guessed: the origin\n"
    "left out: /names: text\n");
}

TEST(Description, IsCompared)
{
  EXPECT_EQ(Example(), Example());
  Description other = Example();
  other.Parts[0].Arrays[1].Sources[0].Added[0].Offset = 1;
  EXPECT_FALSE(other == Example());
}
