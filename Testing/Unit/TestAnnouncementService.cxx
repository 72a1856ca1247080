// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/AnnouncementService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;
using dsm::testing::Texts;
using Numbers = std::vector<SnapshotId>;

class AnnouncementServiceTest : public ::testing::Test
{
protected:
  AnnouncementServiceTest() { this->Server.Connect("writer", "writer"); }

  ImageId Reopen(const PeerId& peer, const std::string& name, SnapshotId source)
  {
    BeginImage begin;
    begin.File = name;
    begin.CopyOf = source;
    return this->Server.Ask(peer, begin).Image.Image;
  }

  SimulatedServer Server;
};

TEST_F(AnnouncementServiceTest, HidesTheFirstFileOfAStreamUntilItIsKnownNotToBeReopened)
{
  this->Server.WriteFile("writer", "/a1.h5");
  EXPECT_EQ(this->Server.Shown(), Numbers());
  this->Server.Wait(Seconds(0.1));
  EXPECT_EQ(this->Server.Shown(), Numbers());
  EXPECT_EQ(this->Server.Heard.Take(), (Texts{ "begun /a1.h5", "sealed 1" }));
  this->Server.Wait(Seconds(0.1));
  EXPECT_EQ(this->Server.Shown(), Numbers{ 1 });
  EXPECT_EQ(this->Server.Heard.Take(), Texts{ "announced 1" });
}

TEST_F(AnnouncementServiceTest, CountsAnnouncementsInTheHostsMemory)
{
  this->Server.WriteFile("writer", "/a1.h5");
  EXPECT_EQ(this->Server.Slots.Announcements, 0U) << "viewers may not hear of it yet";
  this->Server.Wait(Seconds(0.2));
  EXPECT_EQ(this->Server.Slots.Announcements, 1U);
  this->Server.WriteFile("writer", "/a2.h5");
  EXPECT_EQ(this->Server.Slots.Announcements, 2U);
}

TEST_F(AnnouncementServiceTest, AnnouncesWhenTheWriterCreatesItsNextFile)
{
  this->Server.WriteFile("writer", "/a1.h5");
  this->Server.Begin("writer", "/a2.h5");
  EXPECT_EQ(this->Server.Shown(), Numbers{ 1 });
}

TEST_F(AnnouncementServiceTest, AnnouncesNothingOfAShellThatIsReopenedAndSealedAnew)
{
  const SnapshotId shell = this->Server.WriteFile("writer", "/a1.h5");
  const ImageId image = this->Reopen("writer", "/a1.h5", shell);
  this->Server.Wait(Seconds(5));
  EXPECT_EQ(this->Server.Shown(), Numbers()) << "it is being written";
  const SnapshotId whole = this->Server.Seal("writer", image, 8192);
  EXPECT_EQ(this->Server.Shown(), Numbers{ whole });
  this->Server.Wait(Seconds(5));
  EXPECT_EQ(this->Server.Shown(), Numbers{ whole });
}

TEST_F(AnnouncementServiceTest, AnnouncesTheShellIfItsSecondWriterComesToNothing)
{
  const SnapshotId shell = this->Server.WriteFile("writer", "/a1.h5");
  this->Reopen("writer", "/a1.h5", shell);
  this->Server.Connect("viewer", "viewer");
  this->Server.Heard.Take();
  this->Server.Leave("writer", true);
  EXPECT_EQ(this->Server.Shown(), Numbers{ shell });
  EXPECT_EQ(this->Server.Heard.Take(),
    (Texts{ "ended", "announced 1", "writer stopped responding (no message for 10 s)" }));
}

TEST_F(AnnouncementServiceTest, AnnouncesAFlushAtOnce)
{
  const auto image = this->Server.Begin("writer", "/a1.h5");
  this->Server.Heard.Take();
  const SnapshotId shown = this->Server.Flush("writer", image.Image);
  EXPECT_EQ(this->Server.Heard.Take(), (Texts{ "sealed 1, goes on", "announced 1" }));
  EXPECT_EQ(this->Server.Shown(), Numbers{ shown });
}

TEST_F(AnnouncementServiceTest, AnnouncesAFileThatIsBroughtBackAtOnce)
{
  this->Server.Connect("archive", "archive");
  this->Server.WriteFile("archive", "/old.h5");
  EXPECT_EQ(
    this->Server.Heard.Take(), (Texts{ "begun /old.h5", "sealed 1, stays closed", "announced 1" }));
}

TEST_F(AnnouncementServiceTest, AnnouncesAllWhenTheLastSimulationLeaves)
{
  this->Server.WriteFile("writer", "/a1.h5");
  this->Server.Leave("writer", false);
  EXPECT_EQ(this->Server.Shown(), Numbers{ 1 });
}

TEST_F(AnnouncementServiceTest, AnnouncesAllWhenTheServerTakesNoMore)
{
  this->Server.WriteFile("writer", "/a1.h5");
  this->Server.Core.Router.Do([&] { this->Server.Core.TakeNoMore(); });
  EXPECT_EQ(this->Server.Shown(), Numbers{ 1 });
}

TEST_F(AnnouncementServiceTest, TellsNobodyOfAnArrayThatIsSentToTheSimulation)
{
  this->Server.WriteFile("writer", "/a1.h5");
  this->Server.Wait(Seconds(5));
  this->Server.Connect("viewer", "viewer");
  const SnapshotId array = this->Server.WriteFile("viewer", "/run.dsm.mask.dsm-array");
  this->Server.Wait(Seconds(5));
  this->Server.Leave("viewer", false);
  this->Server.Wait(Seconds(5));
  EXPECT_EQ(this->Server.Shown(), Numbers{ 1 });
  // It is read by its number, as long as there is room.
  this->Server.Connect("reader", "viewer");
  OpenSnapshot open;
  open.Number = array;
  EXPECT_EQ(this->Server.Ask("reader", open).Snapshot.Number, array);
}

// ---- Groups.

TEST_F(AnnouncementServiceTest, AnnouncesTheFilesOfSeveralProcessesAsOneSnapshot)
{
  for (const char* process : { "p0", "p1", "p2" })
  {
    this->Server.ConnectProcess(process, 3);
  }
  std::vector<ImageId> images;
  for (const std::string rank : { "0", "1", "2" })
  {
    images.push_back(this->Server.Begin("p" + rank, "/out.7.p" + rank + ".h5").Image);
  }
  this->Server.Heard.Take();
  this->Server.Seal("p2", images[2]);
  this->Server.Seal("p0", images[0]);
  this->Server.Wait(Seconds(1));
  EXPECT_EQ(this->Server.Shown(), Numbers()) << "one is still being written";
  this->Server.Seal("p1", images[1]);
  this->Server.Wait(Seconds(1));
  EXPECT_EQ(
    this->Server.Heard.Take(), (Texts{ "sealed 1", "sealed 2", "sealed 3", "announced 3" }));
  const auto shown = this->Server.Core.Images.Snapshots().Shown();
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown.front().Number, 3u);
  EXPECT_EQ(shown.front().Parts, (Numbers{ 2, 3, 1 })) << "in the order of the processes";
  EXPECT_EQ(shown.front().FileName, "/out.7.p*.h5");
  EXPECT_EQ(shown.front().FileSize, 3u * 4096);
}

// Rank 0 has come to write a file with all others. Its own files go over the same channel.
TEST_F(AnnouncementServiceTest, GathersFilesOfRanksThatAlsoWriteAFileTogether)
{
  this->Server.Core.Images.Snapshots().SetCheckpoints("*dump*");
  for (const char* process : { "p0", "p1" })
  {
    PeerDescription who = SimulatedServer::Describe(process, "writer");
    who.Job = "job";
    who.JobProcesses = 2;
    who.Ranks = process == std::string("p0") ? 2 : 1;
    this->Server.Connect(process, who);
  }
  this->Server.Begin("p0", "/Fields.h5", 2);
  for (const int step : { 1, 2 })
  {
    for (const int rank : { 0, 1 })
    {
      this->Server.WriteFile(fmt::format("p{}", rank), fmt::format("/dump-{}-{}.h5", step, rank));
    }
    this->Server.Wait(Seconds(2));
  }
  const SnapshotTable& table = this->Server.Core.Images.Snapshots();
  EXPECT_EQ(this->Server.Shown(), (Numbers{ 2, 4 }));
  EXPECT_EQ(table.Described(4).FileName, "/dump-2-*.h5");
  EXPECT_TRUE(table.IsKept(3));
  EXPECT_TRUE(table.IsKept(4));
  EXPECT_FALSE(table.IsKept(1));
}

TEST_F(AnnouncementServiceTest, AnnouncesAnIncompleteGroupAfterAWhileAndReportsIt)
{
  for (const char* process : { "p0", "p1" })
  {
    this->Server.ConnectProcess(process, 2);
  }
  const auto writeStep = [&](int step)
  {
    this->Server.WriteFile("p0", fmt::format("/out.{}.p0.h5", step));
    this->Server.WriteFile("p1", fmt::format("/out.{}.p1.h5", step));
  };
  writeStep(1);
  this->Server.Wait(Seconds(1));
  EXPECT_EQ(this->Server.Shown(), Numbers{ 2 });
  this->Server.WriteFile("p0", "/out.2.p0.h5");
  this->Server.Wait(Seconds(9));
  EXPECT_EQ(this->Server.Shown(), Numbers{ 2 });
  this->Server.Wait(Seconds(2));
  EXPECT_EQ(this->Server.Shown(), (Numbers{ 2, 3 }));
  EXPECT_EQ(this->Server.Status().LastError,
    "/out.2.p*.h5 is shown with the files of 1 processes: those of 1 others did not come in time");
}

// The late part has the lower number: it was sealed first, and waited to be written further.
TEST_F(AnnouncementServiceTest, ExtendsAGroupByALatePartWithoutAnnouncingItAgain)
{
  for (const char* process : { "p0", "p1" })
  {
    this->Server.ConnectProcess(process, 2);
  }
  this->Server.Begin("p0", "/out.1.p0.h5");
  const SnapshotId late = this->Server.WriteFile("p1", "/out.1.p1.h5");
  this->Reopen("p1", "/out.1.p1.h5", late);
  this->Server.Seal("p0", 1);
  this->Server.Wait(Seconds(2)); // it might be reopened as well
  EXPECT_EQ(this->Server.Shown(), Numbers());
  this->Server.Wait(Seconds(10)); // the group is incomplete
  this->Server.Heard.Take();
  EXPECT_EQ(this->Server.Shown(), Numbers{ 2 });
  this->Server.Leave("p1", true);
  EXPECT_EQ(this->Server.Heard.Take(),
    (Texts{ "ended", "extended 2 to 2", "p1 stopped responding (no message for 10 s)" }));
  EXPECT_EQ(this->Server.Shown(), Numbers{ 2 });
}

TEST_F(AnnouncementServiceTest, WithholdsASnapshotIfAPartOfItsGroupWasEvicted)
{
  ServerOptions options = SimulatedServer::Options();
  options.MaximumSnapshots = 2;
  SimulatedServer server(options);
  server.Connect("writer", "writer");
  for (const char* process : { "p0", "p1" })
  {
    server.ConnectProcess(process, 2);
  }
  const ImageId slow = server.Begin("p1", "/out.1.p1.h5").Image;
  server.WriteFile("p0", "/out.1.p0.h5"); // 1
  server.Wait(Seconds(1));                // it waits for the other part only
  server.Heard.Take();
  server.WriteFile("writer", "/a1.h5"); // 2
  server.WriteFile("writer", "/a2.h5"); // 3, for which the oldest goes
  EXPECT_EQ(server.InRing(), (Numbers{ 2, 3 }));
  EXPECT_EQ(server.Status().LastError,
    "/out.1.p*.h5 is not shown: one of these files had to leave the memory before all of them were "
    "there (raise the memory per host)");
  const SnapshotId part = server.Seal("p1", slow); // 4
  server.Wait(Seconds(20));
  server.Wait(Seconds(20));
  const auto heard = server.Heard.Take();
  EXPECT_EQ(std::count(heard.begin(), heard.end(), "evicted 1"), 1);
  EXPECT_EQ(std::count(heard.begin(), heard.end(), fmt::format("withheld {}", part)), 1);
  EXPECT_EQ(std::count(heard.begin(), heard.end(), fmt::format("announced {}", part)), 0);
  EXPECT_EQ(std::count(heard.begin(), heard.end(), "announced 3"), 1) << "those behind it come";
}

/// The service alone, with a file of a program of one process.
class AnnouncementTicks : public ::testing::Test
{
protected:
  void Write(std::uint64_t size, std::uint64_t written)
  {
    this->State.IsOpen = true;
    this->State.Time.Now += std::chrono::milliseconds(1);
    this->Service.OnBegun({ ImageId(1), "1", { "1", {}, 1, true }, "/run/out.1.h5", 0 });
    SnapshotDescription snapshot;
    snapshot.FileName = "/run/out.1.h5";
    snapshot.FileSize = size;
    snapshot.Statistics.Bytes = written;
    this->Table.Add(snapshot);
    this->Service.OnSealed({ ImageId(1), SnapshotId(1) });
    this->Service.AnnounceDue();
    this->Service.AnnounceDue();
  }

  CoreSurroundings Surroundings()
  {
    CoreSurroundings around;
    around.TickBy = [this](Clock::time_point moment)
    { this->Wanted.push_back(Seconds(moment - this->State.Time.Now).count()); };
    return around;
  }

  std::vector<double> Wanted; ///< seconds from now to each tick that was requested
  ServerOptions Options;
  ServerDescription Description;
  CoreState State{ this->Options, this->Description, this->Surroundings() };
  SnapshotTable Table;
  SnapshotEvents Events;
  AnnouncementService Service{ this->State, this->Table, this->Events };
};

TEST_F(AnnouncementTicks, RequestsOneTickForAFileThatWaits)
{
  this->Write(1 << 20, 1 << 20);
  ASSERT_EQ(this->Wanted.size(), 1u);
  EXPECT_NEAR(this->Wanted.front(), 0.05, 1e-6);
}

TEST_F(AnnouncementTicks, GivesWhatMayBeAShellMoreTime)
{
  this->Write(4096, 4096);
  ASSERT_EQ(this->Wanted.size(), 1u);
  EXPECT_NEAR(this->Wanted.front(), 0.2, 1e-6);
}

TEST_F(AnnouncementTicks, GivesAFileWithRoomForDataMoreTime)
{
  this->Write(1 << 20, 8192);
  ASSERT_EQ(this->Wanted.size(), 1u);
  EXPECT_NEAR(this->Wanted.front(), 0.2, 1e-6);
}

}
