// SPDX-License-Identifier: BSD-3-Clause
#include "ImageFixture.h"

#include "Base/Error.h"

namespace
{

using namespace dsm;

class MapChoiceTest : public ImageFixture
{
};

TEST_F(MapChoiceTest, FilesThatMayOutgrowTheMemoryLeaveAnEighthOfIt)
{
  EXPECT_EQ(this->Maps.For({}).Capacity(), 100 * MiB);
  EXPECT_EQ(this->Maps.For({ .MayOutgrow = true }).Capacity(), 86 * MiB) << "whole huge pages";
  EXPECT_EQ(this->Maps.For({}).Capacity(), 100 * MiB);
  this->Restart(Ring({ 1, MiB, 16 }));
  EXPECT_EQ(this->Maps.For({ .MayOutgrow = true }).Capacity(), MiB) << "too little to leave any";
}

TEST_F(MapChoiceTest, TheBlockSizeFollowsFromTheLikelySize)
{
  this->Restart(Ring({ 4, 400 * MiB, 16 }));
  this->State.Policy.Map = {};
  struct Case
  {
    std::uint64_t Size; ///< MiB
    std::uint64_t BlockSize;
  };
  for (const Case& one : { Case{ 0, MiB }, Case{ 64, MiB / 8 }, Case{ 300, MiB / 2 } })
  {
    EXPECT_EQ(this->Maps.For({ one.Size * MiB }).Parameters().BlockSize, one.BlockSize) << one.Size;
  }
  this->State.Policy.Map.BlockSize = MiB / 4;
  EXPECT_EQ(this->Maps.For({ 64 * MiB }).Parameters().BlockSize, MiB / 4) << "the user's choice";
}

TEST_F(MapChoiceTest, AMapFitsUntilSettingsChange)
{
  const SnapshotId number = this->AddSnapshot("a.h5", 20);
  const SnapshotDescription snapshot = *this->State.Snapshots.Find(number);
  EXPECT_TRUE(this->Maps.StillFits(snapshot, false));
  EXPECT_FALSE(this->Maps.StillFits(snapshot, true)) << "it would have less of each host";
  SnapshotDescription onDisk = snapshot;
  onDisk.Map.Disk = { MiB, MiB, MiB };
  EXPECT_TRUE(this->Maps.StillFits(onDisk, false));
  this->State.Policy.Map.Strategy = "block cyclic";
  EXPECT_FALSE(this->Maps.StillFits(snapshot, false));
}

TEST_F(MapChoiceTest, AMaskFitsUntilTheFileHasDoubled)
{
  this->Restart(Ring({ 4, 400 * MiB, 16 }));
  this->State.Policy.Map.Strategy = "mask";
  SnapshotDescription snapshot;
  snapshot.Map = this->Maps.For({ 8 * MiB }).Parameters();
  struct Case
  {
    std::uint64_t Size; ///< MiB
    bool Fits;
  };
  for (const Case& one : { Case{ 1, true }, Case{ 8, true }, Case{ 16, true }, Case{ 17, false } })
  {
    snapshot.FileSize = one.Size * MiB;
    EXPECT_EQ(this->Maps.StillFits(snapshot, false), one.Fits) << one.Size;
  }
}

TEST_F(MapChoiceTest, ImpossibleRulesAreRefused)
{
  Redistribution rules;
  rules.Strategy = "no such thing";
  EXPECT_THROW(this->Maps.SetRules(rules), Error);
  rules.Strategy = "block cyclic";
  EXPECT_NO_THROW(this->Maps.SetRules(rules));
}

}
