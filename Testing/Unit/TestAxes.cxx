// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/AxisMeaning.h"
#include "Describe/AxisValues.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace dsm::describe;

TEST(AxisMeaning, ByWhatSaysMost)
{
  EXPECT_EQ(MeaningOf({ "q", "Z" }), Role::Z);
  EXPECT_EQ(MeaningOf({ "q", "", "degrees_north" }), Role::Y);
  EXPECT_EQ(MeaningOf({ "q", "", "degree_E" }), Role::X);
  EXPECT_EQ(MeaningOf({ "x", "", "hours since 1900-01-01 00:00" }), Role::Time);
  EXPECT_EQ(MeaningOf({ "q", "", "m", "", "down" }), Role::Z);
  EXPECT_EQ(MeaningOf({ "q", "", "m", "projection_x_coordinate" }), Role::X);
  EXPECT_EQ(MeaningOf({ "Lat" }), Role::Y);
  EXPECT_EQ(MeaningOf({ "x", "T" }), Role::Time);
  EXPECT_EQ(MeaningOf({ "station", "", "degrees" }), std::nullopt);
}

TEST(AxisValues, CountsFromZeroByDefault)
{
  EXPECT_EQ(EquallySpaced(3), (std::vector<double>{ 0, 1, 2 }));
  EXPECT_EQ(EquallySpaced(2, 5, -0.5), (std::vector<double>{ 5, 4.5 }));
  EXPECT_TRUE(EquallySpaced(0).empty());
}

TEST(AxisValues, DirectionAndDistances)
{
  const AxisValues up = Examine({ 1, 1.5, 2 });
  EXPECT_EQ(up.Is, AxisValues::Order::Ascending);
  EXPECT_TRUE(up.Regular);
  EXPECT_EQ(up.First, 1);
  EXPECT_EQ(up.Spacing, 0.5);
  const AxisValues down = Examine({ 60, 30, 0, -30 });
  EXPECT_EQ(down.Is, AxisValues::Order::Descending);
  EXPECT_TRUE(down.Regular);
  EXPECT_EQ(down.First, -30);
  EXPECT_EQ(down.Spacing, 30);
  EXPECT_FALSE(Examine({ 0, 1, 3 }).Regular);
  EXPECT_EQ(Examine({ 0, 0, 1 }).Is, AxisValues::Order::None);
  EXPECT_EQ(Examine({ 0, 2, 1 }).Is, AxisValues::Order::None);
  EXPECT_EQ(Examine({ 0, NAN, 2 }).Is, AxisValues::Order::None);
  EXPECT_EQ(Examine({}).Is, AxisValues::Order::None);
  EXPECT_TRUE(Examine({ 7 }).Regular);
}

// Sums in single precision, as models write their coordinates.
TEST(AxisValues, PrecisionOfFloat)
{
  std::vector<double> values;
  values.reserve(3600);
  for (int index = 0; index < 3600; ++index)
  {
    values.push_back(static_cast<float>(0.1) * static_cast<float>(index));
  }
  EXPECT_TRUE(Examine(values).Regular);
  values[1800] += 0.01;
  EXPECT_FALSE(Examine(values).Regular);
}
