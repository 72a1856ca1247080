// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Check.h"

#include "Base/Error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

using namespace dsm::describe;

namespace
{
Description Good()
{
  const std::vector<Dimension> points{ { Role::Y, 0, 4 }, { Role::X, 0, 8 } };
  const std::vector<Dimension> cells{ { Role::Y, 0, 3 }, { Role::X, 0, 7 } };
  Part grid{ "grid", Uniform{ { 8, 4, 1 } } };
  grid.Arrays = { { "u", Centring::Point, { { Stored{ "/u" }, points } } },
    { "w", Centring::Cell, { { Stored{ "/w" }, cells }, { Constant{ 0 } } } } };
  Part cellsOf{ "mesh",
    Unstructured{ 9, 2,
      { { Stored{ "/x" }, { { Role::Index, 0, 9 }, { Role::Component, 0, 3 } } } },
      SameCells{ 5, 3, { Stored{ "/c" }, { { Role::Index, 0, 6 } } }, { 0, 2, 1 } } } };
  Description made{ "test", "a test" };
  made.Parts = { grid, cellsOf };
  return made;
}
}

TEST(DescriptionCheck, WhatIsRightPasses)
{
  EXPECT_NO_THROW(Check(Good()));
}

TEST(DescriptionCheck, WhatIsWrongIsSaid)
{
  const auto grid = [](Description& made) -> Uniform&
  { return std::get<Uniform>(made.Parts[0].On); };
  const auto mesh = [](Description& made) -> Unstructured&
  { return std::get<Unstructured>(made.Parts[1].On); };
  const auto source = [](Description& made) -> Source&
  { return made.Parts[0].Arrays[0].Sources[0]; };
  struct Case
  {
    const char* Says;
    std::function<void(Description&)> Spoil;
  };
  const Case cases[] = {
    { "no parts", [](auto& made) { made.Parts.clear(); } },
    { "where 9 are needed", [&](auto& made) { grid(made).Points[0] = 9; } },
    { "0 points along one axis", [&](auto& made) { grid(made).Points[2] = 0; } },
    { "is not finite", [&](auto& made) { grid(made).Origin[1] = std::nan(""); } },
    { "too many points", [&](auto& made) { grid(made).Points = { 2147483647, 2147483647, 4 }; } },
    { "the same role", [&](auto& made) { source(made).Dimensions[0] = { Role::X, 0, 8 }; } },
    { "a dimension of nothing", [&](auto& made) { source(made).Dimensions[0].Stride = 0; } },
    { "is a structured grid", [&](auto& made) { source(made).Dimensions[0].Is = Role::Index; } },
    { "blocks, and the part 0", [&](auto& made) { source(made).Dimensions[0].Is = Role::Block; } },
    { "2000 components",
      [&](auto& made) { source(made).Dimensions.push_back({ Role::Component, 0, 2000 }); } },
    { "too many elements", [&](auto& made)
      { source(made).Dimensions.push_back({ Role::Component, 0, std::uint64_t(1) << 60 }); } },
    { "several sources, and one of them", [](auto& made)
      { made.Parts[0].Arrays[1].Sources[0].Dimensions.push_back({ Role::Component, 0, 2 }); } },
    { "no name of its own", [](auto& made) { made.Parts[0].Arrays[0].Name.clear(); } },
    { "and 3 names for them",
      [](auto& made) { made.Parts[0].Arrays[1].ComponentNames = { "a", "b", "c" }; } },
    { "another number of components",
      [&](auto& made) { source(made).Added = { { Literal{}, { { Role::Component, 0, 2 } } } }; } },
    { "a table, and not the only part", [](auto& made) { made.Parts[0].On = Rows{ 32 }; } },
    { "have no 3 points", [&](auto& made) { std::get<SameCells>(mesh(made).By).Type = 9; } },
    { "type 99 are not known", [&](auto& made) { std::get<SameCells>(mesh(made).By).Type = 99; } },
    { "order of points",
      [&](auto& made) { std::get<SameCells>(mesh(made).By).Order = { 0, 1, 1 }; } },
    { "more than three components", [&](auto& made) { mesh(made).At[0].Dimensions[1].Count = 4; } },
    { "a dimension along x", [&](auto& made) { mesh(made).At[0].Dimensions[0].Is = Role::X; } },
    { "no structured grid", [](auto& made) { made.Parts[1].Blocks.push_back({}); } },
    { "step 2 of 2",
      [](auto& made)
      {
        made.Times = { 0, 1 };
        made.Step = 2;
      } },
  };
  for (const Case& one : cases)
  {
    Description made = Good();
    one.Spoil(made);
    try
    {
      Check(made);
      ADD_FAILURE() << "nothing was thrown for: " << one.Says;
    }
    catch (const dsm::Error& error)
    {
      EXPECT_NE(std::string(error.what()).find(one.Says), std::string::npos)
        << error.what() << ", not: " << one.Says;
    }
  }
}
