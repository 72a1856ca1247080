// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSeenSnapshots.h"

#include <gtest/gtest.h>

TEST(SeenSnapshots, CountThoseOfOtherStreams)
{
  pqDSMSeenSnapshots seen;
  for (const int number : { 1, 3, 5, 7 })
  {
    seen.add(number, "u");
    seen.add(number + 1, "v");
  }
  struct Case
  {
    const char* Stream;
    int After, Before;
    int Others;
  };
  const Case table[] = {
    { "u", 1, 7, 3 }, // 2, 4 and 6
    { "u", 1, 3, 1 },
    { "v", 2, 8, 3 }, // 3, 5 and 7
    { "v", 2, 3, 0 },
    { "w", 0, 9, 8 },
    { "u", 7, 1, 0 },
    { "u", 7, 12, 4 }, // 8, and 9 to 11, of which no status has come
    { "u", 9, 12, 2 },
  };
  for (const Case& one : table)
  {
    EXPECT_EQ(seen.others(one.Stream, one.After, one.Before), one.Others)
      << one.Stream << " " << one.After << " " << one.Before;
  }
}

TEST(SeenSnapshots, ForgetOldOnes)
{
  pqDSMSeenSnapshots seen;
  seen.add(1, "u");
  seen.add(2, "u");
  seen.removeBelow(2);
  EXPECT_EQ(seen.others("v", 0, 3), 1);
  seen.clear();
  seen.add(2, "v");
  EXPECT_EQ(seen.others("v", 0, 3), 0);
}
