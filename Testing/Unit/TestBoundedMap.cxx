// SPDX-License-Identifier: BSD-3-Clause
#include "Base/BoundedMap.h"

#include <gtest/gtest.h>

#include <string>

namespace
{

using dsm::BoundedMap;

TEST(BoundedMap, ForgetsTheKeyThatWasNotUsedForLongest)
{
  BoundedMap<int, std::string> map(2);
  EXPECT_EQ(map.Find(1), nullptr);
  map[1] = "one";
  map[2] = "two";
  map[1] = "again";
  EXPECT_EQ(*map.Find(1), "again");
  map[3] = "three";
  EXPECT_EQ(map.Find(2), nullptr);
  EXPECT_EQ(*map.Find(1), "again");
  EXPECT_EQ(*map.Find(3), "three");
  map[4] = "four";
  EXPECT_EQ(map.Find(1), nullptr) << "to look for a key does not use it";
}

TEST(BoundedMap, HasRoomAgainForWhatWasErased)
{
  BoundedMap<int, int> map(2);
  map[1] = 10;
  map[2] = 20;
  map.Erase(1);
  map.Erase(7);
  map[3] = 30;
  EXPECT_EQ(*map.Find(2), 20);
  EXPECT_EQ(*map.Find(3), 30);
  map[1] = 11;
  EXPECT_EQ(map.Find(2), nullptr);
  EXPECT_EQ(*map.Find(1), 11);
}

}
