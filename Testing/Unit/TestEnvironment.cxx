// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Environment.h"
#include "Base/Error.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace
{

TEST(Environment, ReadsSizes)
{
  using dsm::environment::ParseBytes;
  EXPECT_EQ(ParseBytes("512", "x"), 512u);
  EXPECT_EQ(ParseBytes("64 KiB", "x"), 65536u);
  EXPECT_EQ(ParseBytes("1.5GiB", "x"), UINT64_C(3) << 29);
  for (const char* wrong : { "", "MiB", "12 parsecs", "-1", "1e300" })
  {
    EXPECT_THROW(ParseBytes(wrong, "x"), dsm::Error) << wrong;
  }
}

TEST(Environment, WritesSizes)
{
  EXPECT_EQ(dsm::environment::FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(dsm::environment::FormatBytes(0), "0 B");
}

TEST(Environment, ReadsSecondsAndNamesTheVariable)
{
  unsetenv("DSM_TEST_SECONDS");
  EXPECT_EQ(dsm::environment::SecondsOr("DSM_TEST_SECONDS", 3).count(), 3);
  setenv("DSM_TEST_SECONDS", "0.5", 1);
  EXPECT_EQ(dsm::environment::SecondsOr("DSM_TEST_SECONDS", 3).count(), 0.5);
  setenv("DSM_TEST_SECONDS", "soon", 1);
  try
  {
    dsm::environment::SecondsOr("DSM_TEST_SECONDS", 3);
    FAIL();
  }
  catch (const dsm::Error& error)
  {
    EXPECT_NE(std::string(error.what()).find("DSM_TEST_SECONDS"), std::string::npos);
  }
  unsetenv("DSM_TEST_SECONDS");
}

TEST(Environment, ReadsSwitchesAndNamesTheVariable)
{
  unsetenv("DSM_TEST_SWITCH");
  EXPECT_TRUE(dsm::environment::SwitchOr("DSM_TEST_SWITCH", true));
  setenv("DSM_TEST_SWITCH", "off", 1);
  EXPECT_FALSE(dsm::environment::SwitchOr("DSM_TEST_SWITCH", true));
  setenv("DSM_TEST_SWITCH", "on", 1);
  EXPECT_TRUE(dsm::environment::SwitchOr("DSM_TEST_SWITCH", false));
  setenv("DSM_TEST_SWITCH", "yes", 1);
  try
  {
    dsm::environment::SwitchOr("DSM_TEST_SWITCH", false);
    FAIL();
  }
  catch (const dsm::Error& error)
  {
    EXPECT_STREQ("DSM_TEST_SWITCH is \"yes\": choose on or off", error.what());
  }
  unsetenv("DSM_TEST_SWITCH");
}

TEST(Environment, ReadsCountsAndNamesTheVariable)
{
  unsetenv("DSM_TEST_COUNT");
  EXPECT_EQ(dsm::environment::CountOr("DSM_TEST_COUNT", 3), 3u);
  setenv("DSM_TEST_COUNT", "18446744073709551615", 1);
  EXPECT_EQ(dsm::environment::CountOr("DSM_TEST_COUNT", 3), ~UINT64_C(0));
  for (const char* wrong : { "-1", "7x", "many", "1.5", "18446744073709551616" })
  {
    setenv("DSM_TEST_COUNT", wrong, 1);
    try
    {
      dsm::environment::CountOr("DSM_TEST_COUNT", 3);
      FAIL() << wrong;
    }
    catch (const dsm::Error& error)
    {
      EXPECT_NE(std::string(error.what()).find("DSM_TEST_COUNT"), std::string::npos);
    }
  }
  unsetenv("DSM_TEST_COUNT");
}

}
