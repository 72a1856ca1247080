// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/WriteReport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

namespace
{

using dsm::WriteReport;

// As Communicator::Combine does among ranks.
WriteReport Combined(const WriteReport& one, const WriteReport& other)
{
  dsm::Totals all = one.ToTotals();
  const dsm::Totals more = other.ToTotals();
  for (std::size_t i = 0; i < all.Maxima.size(); ++i)
  {
    all.Maxima[i] = std::max(all.Maxima[i], more.Maxima[i]);
  }
  for (std::size_t i = 0; i < all.Sums.size(); ++i)
  {
    all.Sums[i] += more.Sums[i];
  }
  return WriteReport::FromTotals(all);
}

WriteReport Report(std::uint64_t bytes, double write, double blocked)
{
  WriteReport report;
  report.Statistics = { bytes, write, blocked, { bytes, 2 * bytes } };
  report.Reach = 10 * bytes;
  report.Changed = false;
  return report;
}

TEST(WriteReport, ComesBackFromItsNumbers)
{
  WriteReport report = Report(100, 0.25, 1e-9);
  report.Finished = false;
  const WriteReport back = WriteReport::FromTotals(report.ToTotals());
  EXPECT_EQ(back.Statistics, report.Statistics);
  EXPECT_EQ(back.Reach, 1000u);
  EXPECT_FALSE(back.Changed);
  EXPECT_FALSE(back.Finished);
}

TEST(WriteReport, SumsBytesAndTakesTheSlowestRanksTimes)
{
  const WriteReport all = Combined(Report(100, 0.25, 3), Report(7, 2.5, 0));
  EXPECT_EQ(all.Statistics, (dsm::WriteStatistics{ 107, 2.5, 3, { 107, 214 } }));
  EXPECT_EQ(all.Reach, 1000u);
  EXPECT_FALSE(all.Changed);
  EXPECT_TRUE(all.Finished);
}

TEST(WriteReport, ShowsThatRanksHaveCreatedDifferentObjects)
{
  WriteReport one = Report(1, 0, 0);
  WriteReport other = Report(1, 0, 0);
  one.Objects = other.Objects = 0x8000000000000007;
  EXPECT_FALSE(Combined(one, other).ObjectsDiffer);
  other.Objects = 7;
  EXPECT_TRUE(Combined(one, other).ObjectsDiffer);
  EXPECT_TRUE(Combined(other, one).ObjectsDiffer);
}

TEST(WriteReport, KeepsRanksIfAllRanksDo)
{
  WriteReport one = Report(1, 0, 0);
  one.KeepsRanks = true;
  EXPECT_TRUE(Combined(one, one).KeepsRanks);
  EXPECT_FALSE(Combined(one, Report(1, 0, 0)).KeepsRanks);
}

TEST(WriteReport, IsChangedByAnyRankAndFinishedByAll)
{
  WriteReport one = Report(1, 0, 0);
  one.Changed = true;
  WriteReport other = Report(1, 0, 0);
  other.Finished = false;
  EXPECT_TRUE(Combined(one, other).Changed);
  EXPECT_FALSE(Combined(one, other).Finished);
  EXPECT_TRUE(Combined(one, one).Finished);
}

}
