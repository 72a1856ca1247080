// SPDX-License-Identifier: BSD-3-Clause
// Every redistribution strategy between hosts and writers, and changing it while snapshots are
// there.
#include "SessionFixture.h"

namespace
{

using namespace sessiontests;

// One of each strategy; cycles that divide by no number of hosts.
const std::vector<Redistribution> Choices = []
{
  std::vector<Redistribution> choices{ { "block cyclic", 3001, 5 },
    { "random block", 2047, 7, 1 } };
  for (const dsm::StrategyKind& kind : dsm::Strategies())
  {
    choices.push_back({ kind.Name, 10 * KiB, 0, 2011 });
  }
  return choices;
}();

TEST_F(Session, EveryHostReadsWhatTheWritersWrote)
{
  this->Options.WhenFull = FullRing::Block;
  this->Options.FullRingLimit = Seconds(20);
  for (const Redistribution& choice : Choices)
  {
    this->Options.Map = choice;
    const std::vector<std::uint64_t> sizes{ 1, 4096, 300 * KiB + 17, 900 * KiB };
    this->Couple(
      [&](LocalServer& server)
      {
        SnapshotId last = 0;
        for (std::uint64_t file = 0; file < sizes.size(); ++file)
        {
          const auto snapshot = this->Wait(server, last);
          ASSERT_TRUE(snapshot);
          last = snapshot->Number;
          EXPECT_EQ(snapshot->FileName, fmt::format("/sim/out.{:04}.h5", file));
          EXPECT_EQ(snapshot->Step, static_cast<double>(file));
          EXPECT_EQ(snapshot->Map.Strategy, choice.Strategy);
          {
            const SnapshotView byNumber(server.GetConnection(), last);
            ExpectContents(byNumber, sizes[file], file);
            const SnapshotView byName(server.GetConnection(), snapshot->FileName);
            EXPECT_EQ(byName.Description().Number, last);
          }
          this->Part->Barrier();
          server.Release(last);
        }
        EXPECT_FALSE(this->Wait(server, last)) << "the simulation has ended";
      },
      [&]
      {
        for (std::uint64_t file = 0; file < sizes.size(); ++file)
        {
          EXPECT_EQ(
            this->Write(fmt::format("/sim/out.{:04}.h5", file), sizes[file], file), file + 1);
        }
      });
  }
}

TEST_F(Session, ANewMapCountsForTheNextImageAndSnapshotsKeepTheirs)
{
  const std::uint64_t size = 90 * KiB + 5;
  this->Couple(
    [&](LocalServer& server)
    {
      std::vector<SnapshotDescription> found;
      for (const Redistribution& choice : Choices)
      {
        server.SetMap(choice); // on rank 0; nothing elsewhere
        this->World->Barrier();
        const auto snapshot = this->Wait(server, found.size()); // which holds it
        ASSERT_TRUE(snapshot);
        found.push_back(*snapshot);
        this->World->Barrier();
      }
      server.SetMap({ "contiguous" });
      this->World->Barrier();
      const auto copy = this->Wait(server, found.size());
      ASSERT_TRUE(copy);
      EXPECT_EQ(copy->Map.Strategy, "contiguous");
      ExpectContents(SnapshotView(server.GetConnection(), copy->Number), size, Choices.size());
      for (const SnapshotDescription& snapshot : found)
      {
        const Redistribution& choice = Choices[snapshot.Number - 1];
        const MapParameters expected =
          choice.Over(snapshot.Map.Hosts, snapshot.Map.HostCapacity, snapshot.Map.ExpectedSize);
        EXPECT_EQ(snapshot.Map, expected);
        ExpectContents(
          SnapshotView(server.GetConnection(), snapshot.Number), size, snapshot.Number);
      }
    },
    [&]
    {
      const auto name = [](std::uint64_t file) { return fmt::format("/sim/out.{:04}.h5", file); };
      for (std::uint64_t file = 1; file <= Choices.size(); ++file)
      {
        this->World->Barrier();
        this->Write(name(file), size, file);
        this->World->Barrier();
      }
      this->World->Barrier();
      auto image = this->Begin(name(Choices.size()), Choices.size());
      image->Seal(size, {});
    });
}

// The first file of a stream lies as contiguous does, on one host; the next ones on all.
TEST_F(Session, MaskLearnsFromTheStreamAndFilesMayOutgrowIt)
{
  this->Options.Map.Strategy = "mask";
  this->Options.MemoryPerHost = 4096 * KiB;
  const std::uint64_t size = 200 * KiB + 3;
  const std::uint64_t larger = 500 * KiB;
  this->Couple(
    [&](LocalServer& server)
    {
      const auto hostsUsed = [](const SnapshotDescription& snapshot)
      {
        const AddressMap map(snapshot.Map);
        std::uint64_t used = 0;
        for (HostIndex host = 0; host < snapshot.Map.Hosts; ++host)
        {
          used += map.LocalSize(host, snapshot.FileSize) > 0 ? 1 : 0;
        }
        return used;
      };
      const auto hosts = static_cast<std::uint64_t>(this->Part->Size());
      for (SnapshotId number = 1; number <= 4; ++number)
      {
        const auto snapshot = this->Wait(server, number - 1);
        ASSERT_TRUE(snapshot);
        ExpectContents(
          SnapshotView(server.GetConnection(), number), number == 3 ? larger : size, number);
        EXPECT_EQ(hostsUsed(*snapshot), number == 1 || number == 4 ? 1 : hosts) << number;
      }
    },
    [&]
    {
      this->Write("/sim/out.1.h5", size, 1);
      this->Write("/sim/out.2.h5", size, 2);
      this->Write("/sim/out.3.h5", larger, 3); // more than the second told
      this->Write("/sim/other.h5", size, 4);   // another stream
    });
}

TEST_F(Session, MaskTakesTheSizeThatTheUserExpects)
{
  this->Options.Map.Strategy = "mask";
  this->Options.ExpectedFileSize = 100 * KiB;
  this->Couple(
    [&](LocalServer& server)
    {
      const auto snapshot = this->Wait(server, 0);
      ASSERT_TRUE(snapshot);
      EXPECT_GT(
        AddressMap(snapshot->Map).LocalSize(HostIndex(snapshot->Map.Hosts - 1), 100 * KiB), 0u);
      ExpectContents(SnapshotView(server.GetConnection(), 1), 100 * KiB, 1);
    },
    [&] { this->Write("/sim/out.1.h5", 100 * KiB, 1); });
}

}
