// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Mapping/Redistribution.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace
{

using dsm::Redistribution;

class RedistributionDefaults : public testing::Test
{
protected:
  void SetUp() override { this->Clear(); }
  void TearDown() override { this->Clear(); }
  static void Clear()
  {
    for (const char* name :
      { "DSM_STRATEGY", "DSM_BLOCK_SIZE", "DSM_BLOCKS_PER_CYCLE", "DSM_SEED" })
    {
      unsetenv(name);
    }
  }
};

TEST_F(RedistributionDefaults, AreBuiltInWithoutEnvironment)
{
  EXPECT_EQ(Redistribution::FromEnvironment(), Redistribution());
}

TEST_F(RedistributionDefaults, ComeFromTheEnvironment)
{
  setenv("DSM_STRATEGY", "random block", 1);
  setenv("DSM_BLOCK_SIZE", "64 KiB", 1);
  setenv("DSM_BLOCKS_PER_CYCLE", "12", 1);
  setenv("DSM_SEED", "2011", 1);
  const Redistribution expected{ "random block", 65536, 12, 2011 };
  EXPECT_EQ(Redistribution::FromEnvironment(), expected);
  const dsm::MapParameters map{ "random block", 4, 1 << 20, 65536, 12, 2011, 77 };
  EXPECT_EQ(expected.Over(4, 1 << 20, 77), map);
}

TEST_F(RedistributionDefaults, NameTheVariableThatIsWrong)
{
  setenv("DSM_BLOCK_SIZE", "64 apples", 1);
  try
  {
    Redistribution::FromEnvironment();
    FAIL();
  }
  catch (const dsm::Error& error)
  {
    EXPECT_NE(std::string(error.what()).find("DSM_BLOCK_SIZE"), std::string::npos);
  }
}

}
