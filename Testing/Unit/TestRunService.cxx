// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/RunService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;

class RunServiceTest : public ::testing::Test
{
protected:
  void Connect(const PeerId& peer, const std::string& program, const std::string& role = "writer")
  {
    PeerDescription process = SimulatedServer::Describe(peer, role);
    process.Program = program;
    this->Server.Connect(peer, process);
  }

  const SnapshotDescription& Snapshot(SnapshotId number)
  {
    return *this->Server.Core.Images.Snapshots().Find(number);
  }

  std::vector<RunDescription> Runs() { return this->Server.Status().Runs; }

  SimulatedServer Server;
};

TEST_F(RunServiceTest, AssignsFilesToStreamsAndRuns)
{
  this->Connect("one", "sim");
  this->Server.WriteFile("one", "/r/a.1.h5");
  this->Server.WriteFile("one", "/r/b.1.h5");
  this->Server.WriteFile("one", "/r/a.2.h5");
  this->Connect("two", "tool");
  this->Server.WriteFile("two", "/r/c.1.h5");
  EXPECT_EQ(this->Snapshot(1).Stream, "a.#.h5");
  EXPECT_EQ(this->Snapshot(2).Stream, "b.#.h5");
  EXPECT_EQ(this->Snapshot(3).Stream, "a.#.h5");
  EXPECT_EQ(this->Snapshot(4).Stream, "c.#.h5");
  EXPECT_EQ(this->Snapshot(1).Run, 1u);
  EXPECT_EQ(this->Snapshot(3).Run, 1u);
  EXPECT_EQ(this->Snapshot(4).Run, 2u);
  EXPECT_EQ(this->Snapshot(4).Program, "tool");
  EXPECT_EQ(this->Snapshot(4).Machine, "machine");
}

TEST_F(RunServiceTest, RenamesStreamsWhenItLearnsThatNumbersTellKinds)
{
  this->Connect("one", "sim");
  this->Server.WriteFile("one", "/r/B.out1.00000.h5");
  this->Server.WriteFile("one", "/r/B.out2.00000.h5");
  EXPECT_EQ(this->Snapshot(2).Stream, "B.out#.h5");
  this->Server.WriteFile("one", "/r/B.out1.00001.h5");
  this->Server.WriteFile("one", "/r/B.out2.00001.h5");
  for (SnapshotId number = 1; number <= 4; ++number)
  {
    const auto& snapshot = this->Snapshot(number);
    EXPECT_EQ(snapshot.Stream, number % 2 == 1 ? "B.out1.#.h5" : "B.out2.#.h5");
    EXPECT_EQ(snapshot.Step, number < 3 ? 0 : 1);
  }
}

TEST_F(RunServiceTest, CountsFilesWhoseOnlyNumberTellsTheirKind)
{
  this->Connect("one", "sim");
  constexpr std::uint64_t files = 8;
  for (std::uint64_t file = 0; file < files; ++file)
  {
    this->Server.WriteFile("one", file % 2 == 0 ? "/r/diag0.h5" : "/r/diag1.h5");
  }
  for (std::uint64_t file = 0; file < files; ++file)
  {
    const auto& snapshot = this->Snapshot(SnapshotId(file + 1));
    EXPECT_EQ(snapshot.Stream, file % 2 == 0 ? "diag0.h5" : "diag1.h5");
    EXPECT_EQ(snapshot.Step, static_cast<double>(file)) << "also of those before it was known";
  }
}

TEST_F(RunServiceTest, FilesThatAreRenamedKeepTheirStreamsAndSteps)
{
  this->Connect("one", "sim");
  SnapshotId number = 0;
  for (const int step : { 3, 4 })
  {
    for (const int kind : { 1, 2 })
    {
      const std::string name = fmt::format("/r/B.out{}.{:05}.p7.h5", kind, step);
      this->Server.WriteFile("one", name + ".tmp");
      this->Server.Ask("one", RenameFile{ name, ++number });
    }
  }
  for (SnapshotId one = 1; one <= number; ++one)
  {
    EXPECT_EQ(this->Snapshot(one).Stream, one % 2 == 1 ? "B.out1.#.p#.h5" : "B.out2.#.p#.h5");
    EXPECT_EQ(this->Snapshot(one).Step, one < 3 ? 3 : 4);
  }
}

TEST_F(RunServiceTest, CorrectsTheStepWhenAnotherNumberGrows)
{
  this->Connect("one", "sim");
  this->Server.WriteFile("one", "/r/out.0003_7.h5");
  EXPECT_EQ(this->Snapshot(1).Step, 7) << "nobody can know";
  const auto image = this->Server.Begin("one", "/r/out.0004_7.h5").Image;
  EXPECT_EQ(this->Snapshot(1).Step, 3);
  EXPECT_EQ(this->Snapshot(this->Server.Seal("one", image)).Step, 4);
}

TEST_F(RunServiceTest, LearnsFromFlushesOfFilesThatStayOpen)
{
  this->Connect("one", "sim");
  const auto first = this->Server.Begin("one", "/r/Fields0.h5").Image;
  const auto second = this->Server.Begin("one", "/r/Fields1.h5").Image;
  for (int flush = 0; flush < 3; ++flush)
  {
    this->Server.Flush("one", first);
    this->Server.Flush("one", second);
  }
  EXPECT_EQ(this->Snapshot(this->Server.Seal("one", first)).Stream, "Fields0.h5");
  EXPECT_EQ(this->Snapshot(this->Server.Seal("one", second)).Stream, "Fields1.h5");
}

TEST_F(RunServiceTest, GoesOnWithTheRunOfAProgramThatWasInterrupted)
{
  this->Connect("one", "sim");
  this->Server.WriteFile("one", "/r/a.1.h5");
  this->Server.Leave("one", true);
  this->Connect("two", "sim");
  this->Server.WriteFile("two", "/r/a.2.h5");
  this->Server.Leave("two", true);
  this->Connect("three", "sim");
  this->Server.WriteFile("three", "/r/a.1.h5");
  EXPECT_EQ(this->Snapshot(2).Run, 1u);
  EXPECT_EQ(this->Snapshot(3).Run, 2u) << "it began anew";
}

TEST_F(RunServiceTest, NotesWhatARunBeganFrom)
{
  this->Connect("one", "sim");
  this->Server.WriteFile("one", "/r/a.7.h5");
  this->Server.WriteFile("one", "/r/a.8.h5");
  this->Connect("two", "other", "viewer");
  this->Server.Read("two", 2);
  this->Server.Read("two", 1);
  this->Server.WriteFile("two", "/s/b.1.h5");
  const auto runs = this->Runs();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_FALSE(runs[0].From);
  ASSERT_TRUE(runs[1].From);
  EXPECT_EQ(runs[1].From->Snapshot, 1u) << "what it opened last";
  EXPECT_EQ(runs[1].From->Run, 1u);
  EXPECT_EQ(runs[1].From->Step, 7);
  EXPECT_EQ(runs[1].From->FileName, "/r/a.7.h5");
}

TEST_F(RunServiceTest, RestoredFilesAreARunThatBeganFromNothing)
{
  this->Connect("one", "sim");
  this->Server.WriteFile("one", "/r/a.7.h5");
  this->Connect("two", "paraview", "archive");
  this->Server.Read("two", 1);
  this->Server.WriteFile("two", "/r/a.9.h5");
  EXPECT_EQ(this->Snapshot(2).Stream, "r/a.#.h5");
  const auto runs = this->Server.Core.Runs.Runs().WithOrigins({ 1, 2 });
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_FALSE(runs[0].Restored);
  EXPECT_TRUE(runs[1].Restored);
  EXPECT_FALSE(runs[1].From);
}

TEST_F(RunServiceTest, DoesNotNoteWhatAProgramOpensLaterOrOnlyPeeksAt)
{
  this->Connect("one", "sim");
  this->Server.WriteFile("one", "/r/a.7.h5");
  this->Connect("two", "other");
  OpenSnapshot peek;
  peek.Number = SnapshotId(1);
  peek.Peek = true;
  this->Server.Ask("two", peek);
  this->Server.WriteFile("two", "/s/b.1.h5");
  this->Server.Read("two", 1);
  this->Server.WriteFile("two", "/s/b.2.h5");
  EXPECT_FALSE(this->Runs()[1].From);
}

TEST_F(RunServiceTest, NotesTheSourceOfACopyAndSnapshotsThatAreHeld)
{
  this->Connect("one", "sim");
  this->Server.WriteFile("one", "/r/a.7.h5");
  this->Connect("copier", "copier");
  BeginImage copy;
  copy.File = "/s/b.1.h5";
  copy.CopyOf = 1;
  this->Server.Ask("copier", copy);
  this->Connect("holder", "holder");
  HoldSnapshots hold;
  hold.Begun = { { 1, HoldSnapshots::FirstLease, false } };
  this->Server.Notify("holder", hold);
  this->Server.Begin("holder", "/t/c.1.h5");
  const auto runs = this->Runs();
  ASSERT_EQ(runs.size(), 3u);
  for (const std::size_t run : { 1, 2 })
  {
    ASSERT_TRUE(runs[run].From) << run;
    EXPECT_EQ(runs[run].From->Snapshot, 1u);
  }
}

// Each process of a job may have read its own.
TEST_F(RunServiceTest, TakesTheNewestSnapshotThatAnyProcessOfAJobHasOpened)
{
  this->Connect("one", "sim");
  this->Server.WriteFile("one", "/r/a.7.h5");
  this->Server.WriteFile("one", "/r/a.8.h5");
  this->Server.ConnectProcess("p0", 2);
  this->Server.ConnectProcess("p1", 2);
  this->Server.Read("p0", 1);
  this->Server.Read("p1", 2);
  this->Server.Begin("p0", "/s/b.1.h5");
  ASSERT_TRUE(this->Runs()[1].From);
  EXPECT_EQ(this->Runs()[1].From->Snapshot, 2u);
}

TEST_F(RunServiceTest, ListsEachSimulationOnceByTheTimeItCame)
{
  this->Server.Connect("steering", SimulatedServer::Describe("sim", "steering"));
  this->Server.Wait(Seconds(1));
  this->Server.Connect("writer", SimulatedServer::Describe("sim", "writer"));
  this->Server.Wait(Seconds(1));
  this->Server.Connect("steered", SimulatedServer::Describe("steered", "steering"));
  this->Server.Connect("viewer", "viewer");
  this->Server.Begin("writer", "/r/a.1.h5");
  const auto writers = this->Server.Status().Writers;
  ASSERT_EQ(writers.size(), 2u);
  EXPECT_EQ(writers[0].Program, "sim");
  EXPECT_EQ(writers[0].Role, "writer");
  EXPECT_EQ(writers[0].Run, 1u);
  EXPECT_EQ(writers[1].Program, "steered");
  EXPECT_EQ(writers[1].Run, 0u);
}

}
