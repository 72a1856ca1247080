// SPDX-License-Identifier: BSD-3-Clause
// What can be changed while a server runs: when it counts, and what is refused.
#include "SessionFixture.h"

#include "Peer/SnapshotLease.h"

#include <chrono>
#include <numeric>
#include <optional>
#include <thread>

namespace
{

using namespace sessiontests;

// Takes variables out of the environment, for a while.
class Without
{
public:
  explicit Without(const std::vector<const char*>& names)
  {
    for (const char* name : names)
    {
      const char* value = std::getenv(name);
      this->Old.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(name);
    }
  }
  ~Without()
  {
    for (const auto& [name, value] : this->Old)
    {
      value ? setenv(name, value->c_str(), 1) : unsetenv(name);
    }
  }

private:
  std::vector<std::pair<const char*, std::optional<std::string>>> Old;
};

std::string TextOf(const std::function<void()>& work)
{
  try
  {
    work();
    return "nothing went wrong";
  }
  catch (const Error& error)
  {
    return error.what();
  }
}

TEST_F(Session, ANewTransportCountsForTheNextImage)
{
  const Without without({ "DSM_TRANSPORT", "DSM_NODE_MEMORY" });
  const std::uint64_t size = 150 * KiB + 7;
  this->Options.Transport = { "shared-memory", "", 0, false };
  this->Couple(
    [&](LocalServer& server)
    {
      this->World->Barrier(); // the first file is written, the second being written
      ServerOptions options = this->Options;
      options.Transport.Heavy = "mpi-rma";
      EXPECT_NE(TextOf([&] { server.Adjust(options); }).find("started with it"), std::string::npos);
      options.Transport.Heavy = "fabric/tcp";
      server.Adjust(options);
      if (this->Part->Rank() == 0)
      {
        EXPECT_EQ(server.Status().Pending, std::vector<std::string>{ "transport" });
        EXPECT_EQ(server.Status().Options.Transport.Heavy, "fabric/tcp");
      }
      this->World->Barrier();
      this->World->Barrier(); // all are written
      if (this->Part->Rank() == 0)
      {
        EXPECT_TRUE(server.Status().Pending.empty());
      }
      for (SnapshotId number = 1; number <= 3; ++number)
      {
        ExpectContents(SnapshotView(server.GetConnection(), number), size, number);
      }
      this->World->Barrier();
    },
    [&]
    {
      const auto name = [&]
      { return connections::Find(this->Options.ContactFile)->Data()->Name(); };
      this->Write("/sim/1.h5", size, 1);
      auto second = this->Begin("/sim/2.h5");
      EXPECT_EQ(name(), "shared-memory");
      this->World->Barrier();
      this->World->Barrier();
      this->Fill(*second, size, 2);
      EXPECT_EQ(second->Seal(size, {}), 2u);
      EXPECT_EQ(this->Write("/sim/3.h5", size, 3), 3u);
      EXPECT_EQ(name(), "fabric/tcp");
      this->World->Barrier();
      this->World->Barrier();
    });
}

TEST_F(Session, MemoryCanShrinkAndGrowWhileItRuns)
{
  const std::uint64_t file = 300 * KiB;
  this->Couple(
    [&](LocalServer& server)
    {
      this->World->Barrier(); // three files are there
      ServerOptions options = this->Options;
      options.MemoryPerHost = server.MaximumMemory() + 4096;
      EXPECT_NE(TextOf([&] { server.Adjust(options); }).find("can grow to"), std::string::npos);
      options.MemoryPerHost = 400 * KiB;
      server.Adjust(options);
      this->World->Barrier();
      this->World->Barrier(); // a fourth as well
      if (this->Part->Rank() == 0)
      {
        const auto status = StatusWithAll(server);
        EXPECT_EQ(status.Options.MemoryPerHost, 400 * KiB);
        EXPECT_EQ(status.MemoryBudget, 400 * KiB * static_cast<std::uint64_t>(this->Part->Size()));
        EXPECT_LE(status.MemoryUsed, status.MemoryBudget);
        EXPECT_EQ(status.Snapshots.back().Map.HostCapacity, 400 * KiB);
      }
      const SnapshotView newest(server.GetConnection(), 4);
      ExpectContents(newest, file, 4);
      options.MemoryPerHost = server.MaximumMemory();
      EXPECT_GT(server.MaximumMemory(), this->Options.MemoryPerHost);
      server.Adjust(options);
      this->World->Barrier();
      this->World->Barrier(); // and one that had no place before
      const SnapshotView large(server.GetConnection(), 5);
      EXPECT_EQ(large.Description().Map.HostCapacity, server.MaximumMemory());
      ExpectContents(large,
        static_cast<std::uint64_t>(this->Part->Size()) * this->Options.MemoryPerHost + KiB, 5);
    },
    [&]
    {
      for (SnapshotId number = 1; number <= 3; ++number)
      {
        this->Write("/sim/x.h5", file, number);
      }
      this->World->Barrier();
      this->World->Barrier();
      EXPECT_EQ(this->Write("/sim/x.h5", file, 4), 4u);
      this->World->Barrier();
      this->World->Barrier();
      const auto hosts = static_cast<std::uint64_t>(this->World->Size() - this->Part->Size());
      EXPECT_EQ(this->Write("/sim/large.h5", hosts * this->Options.MemoryPerHost + KiB, 5), 5u);
      this->World->Barrier();
    });
}

TEST_F(Session, AnotherPolicyFreesAWaitingSimulation)
{
  this->Options.WhenFull = FullRing::Block;
  this->Options.MaximumSnapshots = 2;
  this->Options.FullRingLimit = Seconds(30);
  this->Couple(
    [&](LocalServer& server)
    {
      if (this->Part->Rank() == 0)
      {
        for (const Deadline soon(Seconds(20)); server.Status().WaitingSeconds == 0;)
        {
          ASSERT_FALSE(soon.Expired());
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
      }
      ServerOptions options = this->Options;
      options.MaximumSnapshots = server.MaximumSnapshotsPossible() + 1;
      EXPECT_THROW(server.Adjust(options), Error);
      options.MaximumSnapshots = 3;
      server.Adjust(options); // room for the third
      this->World->Barrier();
      options.WhenFull = FullRing::DropOldest;
      options.FullRingLimit = Seconds(0.1);
      server.Adjust(options);
      this->World->Barrier(); // the fourth is there
      if (this->Part->Rank() == 0)
      {
        const auto status = StatusWithAll(server);
        EXPECT_EQ(status.SnapshotsDropped, 1u);
        EXPECT_EQ(status.Snapshots.size(), 3u);
        EXPECT_EQ(status.WaitingSeconds, 0);
      }
      // A limit that shrank counts, too.
      options.WhenFull = FullRing::Block;
      server.Adjust(options);
      this->World->Barrier();
      this->World->Barrier();
    },
    [&]
    {
      for (SnapshotId number = 1; number <= 3; ++number)
      {
        EXPECT_EQ(this->Write("/sim/x.h5", 5000, number), number);
      }
      this->World->Barrier();
      EXPECT_EQ(this->Write("/sim/x.h5", 5000, 4), 4u);
      this->World->Barrier();
      this->World->Barrier();
      EXPECT_NE(
        TextOf([&] { this->Write("/sim/x.h5", 5000, 5); }).find("waited 0.1 s"), std::string::npos);
      this->World->Barrier();
    });
}

TEST_F(Session, NewSnapshotsAreSkippedWhereThatIsThePolicy)
{
  this->Options.WhenFull = FullRing::DropNewest;
  this->Options.MaximumSnapshots = 3;
  this->Options.FullRingLimit = Seconds(0.5);
  this->Couple(
    [&](LocalServer& server)
    {
      this->World->Barrier(); // five files are written
      if (this->Part->Rank() == 0)
      {
        const auto status = StatusWithAll(server);
        ASSERT_EQ(status.Snapshots.size(), 2u);
        EXPECT_EQ(status.Snapshots.front().FileName, "/sim/1.h5");
        EXPECT_EQ(status.Snapshots.back().FileName, "/sim/2.h5");
        EXPECT_EQ(status.SnapshotsSkipped, 3u);
        EXPECT_EQ(status.SnapshotsDropped, 0u);
      }
      {
        const SnapshotView read(server.GetConnection(), 1);
        ExpectContents(read, 5000, 1);
      }
      this->Settle(server);
      this->World->Barrier();
      this->World->Barrier(); // one more
      const SnapshotView next(server.GetConnection(), 3);
      EXPECT_EQ(next.Description().FileName, "/sim/6.h5");
      ExpectContents(next, 5000, 6);
    },
    [&]
    {
      for (std::uint64_t file = 1; file <= 5; ++file)
      {
        EXPECT_EQ(this->Write(fmt::format("/sim/{}.h5", file), 5000, file), file < 3 ? file : 0);
      }
      this->World->Barrier();
      this->World->Barrier();
      EXPECT_EQ(this->Write("/sim/6.h5", 5000, 6), 3u);
      this->World->Barrier();
    });
}

TEST_F(Session, BytesAreCountedWhereTheyArePut)
{
  this->Options.Map = { "contiguous" };
  const std::uint64_t size = 100 * KiB;
  this->Couple(
    [&](LocalServer& server)
    {
      this->World->Barrier();
      if (this->Part->Rank() == 0)
      {
        const auto status = StatusWithAll(server);
        const auto sum = [](const std::vector<std::uint64_t>& bytes)
        { return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{ 0 }); };
        ASSERT_EQ(status.HostBytes.size(), static_cast<std::size_t>(this->Part->Size()));
        // All of the small file on the first host; of what was written twice, twice.
        EXPECT_EQ(status.Snapshots[0].Statistics.HostBytes[0], size);
        EXPECT_EQ(sum(status.Snapshots[0].Statistics.HostBytes), size);
        EXPECT_EQ(sum(status.Snapshots[1].Statistics.HostBytes), 2 * size);
        EXPECT_EQ(status.HostBytes[0], 3 * size);
        EXPECT_EQ(sum(status.HostBytes), 3 * size);
        EXPECT_EQ(status.BytesReceived, 42u);
        EXPECT_DOUBLE_EQ(status.BlockedSeconds, 0.25);
        EXPECT_GT(status.HostMemoryUsed[0], 0u);
        ASSERT_EQ(status.Writers.size(), 1u);
        const double now = Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
        EXPECT_NEAR(status.Writers[0].Since, now, 60);
      }
      this->World->Barrier();
    },
    [&]
    {
      this->Write("/sim/once.h5", size, 1);
      auto twice = this->Begin("/sim/twice.h5");
      this->Fill(*twice, size, 1);
      this->Fill(*twice, size, 1);
      WriteStatistics mine;
      mine.Bytes = this->Part->Rank() == 0 ? 42 : 0;
      mine.BlockedSeconds = 0.25;
      twice->Seal(size, mine);
      this->World->Barrier();
      this->World->Barrier();
    });
}

// The ranks of a viewer come to a snapshot one after the other, with pauses in which the simulation
// would take its place.
TEST_F(Session, ASnapshotStaysUntilAllRanksOfAViewerHaveReadIt)
{
  this->Options.WhenFull = FullRing::Block;
  this->Options.MaximumSnapshots = 2;
  this->Options.FullRingLimit = Seconds(20);
  this->Couple(
    [&](LocalServer& server)
    {
      this->World->Barrier(); // two files are there, the third waits
      for (int rank = 0; rank < this->Part->Size(); ++rank)
      {
        if (rank == this->Part->Rank())
        {
          const auto hold = SnapshotLease::Together(server.GetConnection(), 1, std::nullopt,
            { "viewer", static_cast<std::uint64_t>(this->Part->Size()) });
          const SnapshotView view(server.GetConnection(), hold.Description().Number);
          ExpectContents(view, 5000, 1);
        }
        this->Part->Barrier();
        if (this->Part->Rank() == 0 && rank + 1 < this->Part->Size())
        {
          // The next rank's turn: the close above is with the server, and nothing has moved.
          for (const Deadline waiting(Seconds(20)); server.Status().WaitingSeconds == 0;)
          {
            ASSERT_FALSE(waiting.Expired());
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
          }
          EXPECT_FALSE(server.WaitForSnapshot(2, true, Deadline(Seconds(0.1))));
          EXPECT_EQ(StatusWithAll(server).Snapshots.front().Number, 1u);
        }
        this->Part->Barrier();
      }
      const auto third = this->Wait(server, 2);
      ASSERT_TRUE(third);
      EXPECT_EQ(third->Number, 3u);
      if (this->Part->Rank() == 0)
      {
        EXPECT_EQ(StatusWithAll(server).Snapshots.front().Number, 2u);
      }
    },
    [&]
    {
      this->Write("/sim/1.h5", 5000, 1);
      this->Write("/sim/2.h5", 5000, 2);
      this->World->Barrier();
      EXPECT_EQ(this->Write("/sim/3.h5", 5000, 3), 3u);
    });
}

}
