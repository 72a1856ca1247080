// SPDX-License-Identifier: BSD-3-Clause
// How long background work rests between its steps.
#include "Server/Host/Pace.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;

TEST(Pace, DoesNotRestOnACoreOfItsOwn)
{
  EXPECT_EQ(Pace::RestAfter(Seconds(0), Seconds(0)), Seconds(0));
  EXPECT_EQ(Pace::RestAfter(Seconds(0.0025), Seconds(0.0024)), Seconds(0));
  EXPECT_EQ(Pace::RestAfter(Seconds(0.05), Seconds(0.045)), Seconds(0));
  EXPECT_EQ(Pace::RestAfter(Seconds(0.0009), Seconds(0.0001)), Seconds(0))
    << "waking up takes this";
}

TEST(Pace, RestsUntilItHasUsedItsShareOfACoreThatOthersWant)
{
  const Seconds elapsed(0.008);
  const Seconds used(0.0025);
  EXPECT_DOUBLE_EQ((elapsed + Pace::RestAfter(elapsed, used)).count(), used.count() / Pace::Share);
}

TEST(Pace, DoesNotRestIfItHasWaitedLongEnough)
{
  EXPECT_EQ(Pace::RestAfter(Seconds(2), Seconds(0.0025)), Seconds(0));
}

TEST(Pace, RestsForASecondAtMost)
{
  EXPECT_EQ(Pace::RestAfter(Seconds(0.5), Seconds(0.05)), Seconds(1));
}

}
