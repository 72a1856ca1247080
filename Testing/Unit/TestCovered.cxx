// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Check.h"
#include "Describe/Covered.h"
#include "Describe/OwnPart.h"

#include "Base/Error.h"

#include <gtest/gtest.h>

#include <random>

using namespace dsm::describe;

TEST(Covered, CoarsenedBoxesHaveOnlyWholeCells)
{
  struct Case
  {
    std::int64_t Low, High, Ratio, CoarseLow, CoarseHigh;
  };
  for (const Case& one : { Case{ 4, 11, 2, 2, 5 }, Case{ 0, 3, 4, 0, 0 }, Case{ -4, -1, 2, -2, -1 },
         Case{ -3, 4, 2, -1, 1 }, Case{ 1, 1, 2, 1, 0 }, Case{ -1, -1, 2, 0, -1 },
         Case{ 5, 9, 1, 5, 9 } })
  {
    const CellBox box = Coarsened({ { one.Low, 0, 0 }, { one.High, 0, 0 } }, { one.Ratio, 1, 1 });
    EXPECT_EQ(box.Low[0], one.CoarseLow) << one.Low << " to " << one.High << " by " << one.Ratio;
    EXPECT_EQ(box.High[0], one.CoarseHigh) << one.Low << " to " << one.High << " by " << one.Ratio;
  }
}

TEST(Covered, CellsAreCountedFromTheBox)
{
  const std::vector<CellBox> boxes = { { { 0, 0, 0 }, { 7, 7, 0 } },
    { { 8, -4, 0 }, { 11, 3, 0 } } };
  const auto covered = CoveredCells(boxes,
    { { { 6, 2, 0 }, { 9, 5, 0 } }, { { 20, 0, 0 }, { 30, 9, 0 } }, { { 1, 0, 0 }, { 0, 9, 0 } } });
  EXPECT_EQ(covered[0], (std::vector<CellRange>{ { { 6, 2, 0 }, { 2, 4, 1 } } }));
  EXPECT_EQ(covered[1], (std::vector<CellRange>{ { { 0, 6, 0 }, { 2, 2, 1 } } }));
}

TEST(Covered, TheSameAsEachAgainstEach)
{
  std::mt19937 random(3); // NOLINT: the same in each run
  std::uniform_int_distribution<std::int64_t> place(-30, 30), length(0, 9);
  const auto boxes = [&](std::size_t count)
  {
    std::vector<CellBox> made(count);
    for (CellBox& box : made)
    {
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        box.Low[axis] = place(random);
        box.High[axis] = box.Low[axis] + length(random);
      }
    }
    return made;
  };
  const auto coarse = boxes(60), fine = boxes(200);
  const auto covered = CoveredCells(coarse, fine);
  std::size_t found = 0;
  for (std::size_t index = 0; index < coarse.size(); ++index)
  {
    std::size_t meet = 0;
    for (const CellBox& other : fine)
    {
      bool both = true;
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        both = both && other.Low[axis] <= coarse[index].High[axis] &&
          coarse[index].Low[axis] <= other.High[axis];
      }
      meet += both ? 1 : 0;
    }
    EXPECT_EQ(covered[index].size(), meet);
    found += meet;
  }
  EXPECT_GT(found, 20U);
}

namespace
{
// Two boxes of two arrays each, with a ghost cell along x.
Part TwoBoxes()
{
  Part part{ "level 0", Uniform{ { 5, 4, 1 } } };
  part.Blocks = { Block{ 0 }, Block{ 1 } };
  part.Blocks[0].Points = PerAxis{ 5, 4, 1 };
  part.Blocks[1].Points = PerAxis{ 3, 3, 1 };
  part.Blocks[1].FirstElement = 36;
  for (const std::uint64_t plane : { 0, 1 })
  {
    Stored from{ "/data", {}, {}, 0 };
    from.Plane = plane;
    Dimension x{ Role::X, 1, 4 };
    x.Of = 6;
    part.Arrays.push_back(
      { plane == 0 ? "a" : "b", Centring::Cell, { { from, { { Role::Y, 0, 3 }, x } } } });
  }
  return part;
}
}

TEST(OwnPart, HasTheBlocksSizeAndPlace)
{
  const Part part = TwoBoxes();
  EXPECT_NO_THROW(Check({ "test", "test", { part } }));
  ASSERT_TRUE(HasOwnBlocks(part));
  const Part own = OwnPart(part, part.Blocks[1]);
  EXPECT_TRUE(own.Blocks.empty());
  EXPECT_EQ(PointsOf(own.On), (PerAxis{ 3, 3, 1 }));
  const Source& source = own.Arrays[1].Sources[0];
  // After the first box with two arrays of 3 x 6, and this box's first with 2 x 4.
  EXPECT_EQ(std::get<Stored>(source.From).FlatFrom, 36U + 8U);
  EXPECT_EQ(source.Dimensions[0].Count, 2U);
  EXPECT_EQ(source.Dimensions[1].Start, 1U);
  EXPECT_EQ(source.Dimensions[1].Count, 2U);
  EXPECT_EQ(source.Dimensions[1].Of, 4U);
}

TEST(OwnPart, IsChecked)
{
  const auto wrong = [](auto change)
  {
    Part part = TwoBoxes();
    change(part);
    EXPECT_THROW(Check({ "test", "test", { part } }), dsm::Error);
  };
  wrong([](Part& part) { part.Blocks[1].Points.reset(); });
  wrong([](Part& part) { part.Blocks[1].Points = PerAxis{ 0, 3, 1 }; });
  wrong([](Part& part) { part.Blocks[1].Points = PerAxis{ 2000000000, 2000000000, 2 }; });
  wrong([](Part& part) { part.Blocks[1].FirstElement = std::uint64_t(1) << 60; });
  wrong([](Part& part) { part.Arrays[0].Sources[0].From = Stored{ "/data" }; });
  wrong([](Part& part) { part.Arrays[0].Sources[0].Dimensions[1].Of = std::uint64_t(1) << 60; });
  wrong([](Part& part) { part.On = Rectilinear{ { 5, 4, 1 } }; });
}
