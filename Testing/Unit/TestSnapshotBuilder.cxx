// SPDX-License-Identifier: BSD-3-Clause
#include "ImageFixture.h"

namespace
{

using namespace dsm;

class SnapshotBuilderTest : public ImageFixture
{
};

TEST_F(SnapshotBuilderTest, ASnapshotDescribesItsImage)
{
  OpenImage image{ .FileName = "a.h5",
    .Slot = 3,
    .Generation = 5,
    .Place = { "a.#.h5", 2, {} },
    .Program = "solver",
    .Machine = "node1",
    .Named = true,
    .Family = 9 };
  image.Map = this->Map();
  const WriteStatistics statistics{ 10, 1, 2, { 10 } };
  const auto snapshot = SnapshotBuilder::Describe(image, 7 * MiB, statistics);
  EXPECT_EQ(snapshot.FileName, "a.h5");
  EXPECT_EQ(snapshot.FileSize, 7 * MiB);
  EXPECT_EQ(snapshot.Slot, 3u);
  EXPECT_EQ(snapshot.Generation, 5u);
  EXPECT_EQ(snapshot.Map, image.Map.Parameters());
  EXPECT_EQ(snapshot.Statistics, statistics);
  EXPECT_EQ(snapshot.Stream, "a.#.h5");
  EXPECT_EQ(snapshot.Run, 2u);
  EXPECT_EQ(snapshot.Program, "solver");
  EXPECT_EQ(snapshot.Machine, "node1");
  EXPECT_TRUE(snapshot.Named);
  EXPECT_EQ(snapshot.Family, 9u);
}

TEST_F(SnapshotBuilderTest, ACompleteSnapshotHasATimeAndAStep)
{
  struct Case
  {
    const char* FileName;
    std::optional<double> InName;
    double Step;
  };
  for (const Case& one : { Case{ "out.0012.h5", 12, 12 }, Case{ "log.h5", {}, 0 },
         Case{ "log.h5", {}, 1 }, Case{ "log.h5", {}, 2 } })
  {
    SnapshotDescription snapshot;
    snapshot.FileName = one.FileName;
    snapshot.FileSize = 5 * MiB;
    this->Builder.Complete(snapshot, one.InName, 7);
    EXPECT_EQ(snapshot.SealedAt, 7) << one.FileName;
    EXPECT_EQ(snapshot.Step, one.Step) << one.FileName;
    EXPECT_EQ(this->State.Streams.LastSize(one.FileName), 5 * MiB);
  }
}

TEST_F(SnapshotBuilderTest, WhatWritersReportIsCounted)
{
  this->State.Counters.HostBytes = { 0, 0 };
  SnapshotDescription snapshot;
  snapshot.Statistics = { 10, 1, 0.5, { 6, 4 } };
  this->Builder.Complete(snapshot, {}, 0);
  snapshot.Statistics = { 5, 1, 0.25, { 5, 0, 99 } }; // of more hosts than there are
  this->Builder.Complete(snapshot, {}, 0);
  EXPECT_EQ(this->State.Counters.BytesReceived, 15u);
  EXPECT_EQ(this->State.Counters.BlockedSeconds, 0.75);
  EXPECT_EQ(this->State.Counters.HostBytes, (std::vector<std::uint64_t>{ 11, 4 }));
  EXPECT_EQ(this->State.Counters.SnapshotsSealed, 0u) << "none was added";
}

TEST_F(SnapshotBuilderTest, AddedSnapshotsAreCountedAndJoinTheirGroup)
{
  EXPECT_EQ(this->Builder.Add({}, 0), 1u);
  EXPECT_EQ(this->Builder.Add({}, 4), 2u);
  EXPECT_EQ(this->Builder.Add({}, 4), 3u);
  EXPECT_EQ(this->State.Counters.SnapshotsSealed, 3u);
  EXPECT_EQ(this->State.Snapshots.Count(), 2u) << "both of the group count as one";
}

}
