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

TEST(AutomaticBlocks, GiveEachHostOfASmallFileManyBlocks)
{
  using dsm::AutomaticBlockSize;
  constexpr std::uint64_t KiB = 1024;
  constexpr std::uint64_t MiB = KiB * KiB;
  constexpr std::uint64_t GiB = KiB * MiB;
  EXPECT_EQ(AutomaticBlockSize(8, GiB, 0), MiB) << "of a file of which nothing is known";
  EXPECT_EQ(AutomaticBlockSize(1, GiB, MiB), MiB) << "one host has it all";
  EXPECT_EQ(AutomaticBlockSize(8, GiB, 64 * MiB), 64 * KiB);
  EXPECT_EQ(AutomaticBlockSize(4, GiB, 66 * MiB), 128 * KiB);
  EXPECT_EQ(AutomaticBlockSize(2, GiB, 128 * MiB), 512 * KiB);
  EXPECT_EQ(AutomaticBlockSize(2, GiB, 256 * MiB), MiB);
  EXPECT_EQ(AutomaticBlockSize(2, GiB, 100 * GiB), MiB);
  EXPECT_EQ(AutomaticBlockSize(1000, GiB, MiB), 64 * KiB);
  EXPECT_EQ(AutomaticBlockSize(8, 40 * KiB, 64 * KiB), 40 * KiB) << "no more than a host has";
}

TEST_F(RedistributionDefaults, ChooseTheBlockSizeForEachFile)
{
  const Redistribution automatic;
  EXPECT_EQ(automatic.Over(8, 1 << 30, 64 << 20).BlockSize, 65536u);
  EXPECT_EQ(automatic.Over(8, 1 << 30, UINT64_C(4) << 30).BlockSize, 1048576u);
  EXPECT_EQ(automatic.OnNodes(2, 1 << 30), automatic);
  EXPECT_EQ(automatic.OnNodes(1, 1 << 30).Over(8, 1 << 30, 64 << 20).BlockSize, 2097152u);
  EXPECT_EQ(automatic.OnNodes(1, 64 << 20).BlockSize, 2097152u);
  EXPECT_EQ(automatic.OnNodes(1, (64 << 20) - 4096).BlockSize, 1048576u);
  Redistribution chosen;
  chosen.BlockSize = 4096;
  EXPECT_EQ(chosen.Over(8, 1 << 30, UINT64_C(4) << 30).BlockSize, 4096u);
  EXPECT_EQ(chosen.OnNodes(1, 1 << 30), chosen);
  setenv("DSM_BLOCK_SIZE", "automatic", 1);
  EXPECT_EQ(chosen.WithEnvironment(), Redistribution());
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
