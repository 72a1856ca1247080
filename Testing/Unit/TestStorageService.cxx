// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/StorageService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;
using Numbers = std::vector<SnapshotId>;

class StorageServiceTest : public ::testing::Test
{
protected:
  static ServerOptions Options()
  {
    ServerOptions options = SimulatedServer::Options();
    options.AlsoOnDisk = "/kept*";
    return options;
  }

  template <typename Work>
  auto Do(const Work& work)
  {
    return this->Server.Core.Router.Do(work);
  }
  StorageService& Disk() { return this->Server.Core.Storage; }

  StorageServiceTest()
  {
    this->Do(
      [&]
      {
        this->Disk().OfferDisk(true);
        this->Disk().OfferSaving(true);
      });
    this->Server.Connect("writer", "writer");
  }

  SnapshotId Write(const std::string& name)
  {
    const SnapshotId number = this->Server.WriteFile("writer", name);
    this->Server.Wait(Seconds(1));
    return number;
  }

  /// The number of the next snapshot that is to be written under its own name; 0: none.
  SnapshotId TakeDisk()
  {
    this->Taken = this->Do([&] { return this->Disk().TakeDiskOrder(); });
    return this->Taken ? this->Taken->Number : SnapshotId(0);
  }
  void EndDisk(DiskOutcome::Kind what, const std::string& text = {})
  {
    this->Do([&] { this->Disk().DiskDone(*this->Taken, { what, text }); });
  }

  std::string Order(std::uint64_t ticket, const std::string& when, const std::string& rule = "all")
  {
    SaveRequest request;
    request.When = when;
    request.Rule = rule;
    return this->Do([&] { return this->Disk().Order(ticket, request); });
  }
  /// The number of the next snapshot that is to be saved; 0: none.
  SnapshotId TakeSave()
  {
    this->Ordered = this->Do([&] { return this->Disk().TakeSaveOrder(); });
    return this->Ordered ? this->Ordered->Snapshot.Number : SnapshotId(0);
  }
  void EndSave(const std::string& failure = {})
  {
    this->Do([&] { this->Disk().SaveDone(*this->Ordered, failure); });
  }

  bool IsKept(SnapshotId number) { return this->Server.Core.Images.Snapshots().IsKept(number); }

  SimulatedServer Server{ Options() };
  std::optional<SnapshotDescription> Taken;
  std::optional<SaveOrder> Ordered;
};

// ---- The server's own rule.

TEST_F(StorageServiceTest, WritesToDiskWhatTheRuleKeepsWhenViewersHearOfIt)
{
  this->Server.WriteFile("writer", "/kept1.h5");
  EXPECT_EQ(this->TakeDisk(), 0u) << "it may be opened again";
  EXPECT_TRUE(this->IsKept(1));
  this->Server.Wait(Seconds(1));
  this->Write("/other1.h5");
  EXPECT_EQ(this->Server.Status().WaitingForDisk, 1u);
  EXPECT_EQ(this->Server.Status().WaitingForDiskBytes, 4096u);
  EXPECT_EQ(this->TakeDisk(), 1u);
  EXPECT_TRUE(this->Do([&] { return this->Disk().IsDiskBusy(); }));
  this->EndDisk(DiskOutcome::Kind::Written);
  EXPECT_EQ(this->TakeDisk(), 0u);
  EXPECT_FALSE(this->IsKept(1));
  EXPECT_FALSE(this->IsKept(2));
  EXPECT_EQ(this->Server.Status().Saved, Numbers{ 1 });
  EXPECT_FALSE(this->Do([&] { return this->Disk().Backlog().Busy; }));
}

// Which numbers tell kinds is known with the third file. Viewers have heard of two by then.
TEST_F(StorageServiceTest, CountsKindsOfFilesByThemselvesOnceItKnowsThem)
{
  this->Do([&] { this->Server.Core.Disk.SetRule("every 2"); });
  EXPECT_EQ(this->Order(1, "each", "every 2"), "");
  for (const std::string step : { "0", "1", "2", "3", "4" })
  {
    this->Write("/B.out1.0000" + step + ".h5");
    this->Write("/B.out2.0000" + step + ".h5");
  }
  std::set<SnapshotId> onDisk;
  while (const SnapshotId number = this->TakeDisk())
  {
    EXPECT_TRUE(onDisk.insert(number).second) << number;
    this->EndDisk(DiskOutcome::Kind::Written);
  }
  EXPECT_EQ(onDisk, (std::set<SnapshotId>{ 1, 2, 5, 6, 9, 10 }));
  std::set<SnapshotId> saved;
  while (const SnapshotId number = this->TakeSave())
  {
    EXPECT_TRUE(saved.insert(number).second) << number;
    this->EndSave();
  }
  EXPECT_EQ(saved, onDisk);
}

TEST_F(StorageServiceTest, TriesAgainWhatCouldNotBeWrittenAndReportsItOnce)
{
  this->Write("/kept1.h5");
  this->TakeDisk();
  this->EndDisk(DiskOutcome::Kind::Failed, "the disk is full");
  EXPECT_EQ(this->Server.Status().LastError,
    "snapshot 1 (/kept1.h5) is not on disk, and stays in memory as long as there is room: the disk "
    "is full. It is tried again every few seconds, as are those after it");
  EXPECT_EQ(this->Server.Status().DiskTrouble, "the disk is full");
  EXPECT_EQ(this->TakeDisk(), 0u);
  EXPECT_EQ(this->Do([&] { return this->Disk().NextDiskTry(); }),
    std::optional(this->Server.Time.Now + std::chrono::seconds(5)));
  this->Do([&] { this->Server.Core.State.Trouble.Note("nothing"); });
  this->Server.Wait(Seconds(5));
  EXPECT_EQ(this->TakeDisk(), 1u);
  this->EndDisk(DiskOutcome::Kind::Failed, "the disk is full");
  EXPECT_EQ(this->Server.Status().LastError, "nothing");
  this->Do([&] { this->Disk().TryDiskNow(); });
  EXPECT_EQ(this->TakeDisk(), 1u) << "the end is near";
  this->EndDisk(DiskOutcome::Kind::Written);
  EXPECT_EQ(this->Server.Status().DiskTrouble, "");
}

TEST_F(StorageServiceTest, ReportsWhatLeavesTheMemoryAndIsNotOnDisk)
{
  ServerOptions options = Options();
  options.MaximumSnapshots = 1;
  SimulatedServer server(options);
  server.Connect("writer", "writer");
  server.WriteFile("writer", "/kept1.h5");
  server.Wait(Seconds(1));
  const auto order = server.Core.Router.Do([&] { return server.Core.Storage.TakeDiskOrder(); });
  ASSERT_TRUE(order);
  server.Core.Router.Do([&]
    { server.Core.Storage.DiskDone(*order, { DiskOutcome::Kind::Failed, "the disk is full" }); });
  server.WriteFile("writer", "/kept2.h5");
  EXPECT_EQ(server.Status().NeverOnDisk, 1u);
  EXPECT_EQ(server.Status().LastError,
    "snapshot 1 (/kept1.h5) had to leave the memory and is not on disk: the disk is full");
}

TEST_F(StorageServiceTest, GrantsWaitingWritersRoomWhenAFileIsOnDisk)
{
  ServerOptions options = Options();
  options.MaximumSnapshots = 1;
  SimulatedServer server(options);
  server.Core.Router.Do([&] { server.Core.Storage.OfferDisk(true); });
  server.Connect("writer", "writer");
  server.WriteFile("writer", "/kept1.h5");
  server.Wait(Seconds(1));
  const auto order = server.Core.Router.Do([&] { return server.Core.Storage.TakeDiskOrder(); });
  ASSERT_TRUE(order);
  BeginImage begin;
  begin.File = "/kept2.h5";
  const std::uint64_t waiting = server.Send("writer", begin);
  EXPECT_FALSE(server.IsAnswered(waiting));
  server.Core.Router.Do(
    [&] { server.Core.Storage.DiskDone(*order, { DiskOutcome::Kind::Written, {} }); });
  server.HostsWork();
  EXPECT_TRUE(server.IsAnswered(waiting));
}

TEST_F(StorageServiceTest, FindsFilesOfTheServersByChannelAndInMemoryAlike)
{
  this->Write("/kept1.h5");
  this->TakeDisk();
  const FileMark mark{ 5, 4096, 77 };
  this->Do([&] { this->Disk().EnterWritten(*this->Taken, { mark }); });
  const auto find = [&](const FileMark& there)
  {
    const FindOnDisk message{ "/kept1.h5", there };
    const auto byChannel = this->Server.Ask("writer", message);
    const auto inMemory = this->Server.ReplyTo<FindOnDisk>(this->Server.SendInMemory(message));
    EXPECT_EQ(byChannel.Snapshot, inMemory.Snapshot);
    EXPECT_EQ(byChannel.Newest, inMemory.Newest);
    EXPECT_EQ(byChannel.Stays, inMemory.Stays);
    return inMemory;
  };
  EXPECT_EQ(find(mark).Snapshot, 1u);
  EXPECT_EQ(find(mark).Newest, 1u);
  EXPECT_TRUE(find(mark).Stays);
  EXPECT_EQ(find({ 5, 4096, 78 }).Snapshot, 0u) << "somebody has changed it";
}

TEST_F(StorageServiceTest, KnowsWhatItsWriterHasPutOnDiskItself)
{
  const auto family = [this](bool isWhole)
  {
    const auto image = this->Server.Begin("writer", "/kept1.h5").Image;
    SealImage seal = this->Server.SealOf(image, 4096);
    seal.OnDisk = { .IsThere = true, .IsWhole = isWhole };
    const SnapshotId number = this->Server.Ask("writer", seal).Number;
    return this->Server.Core.Images.Snapshots().Find(number)->Family;
  };
  const auto written = [this](SnapshotId number)
  { return this->Do([&] { return this->Server.Core.Disk.WrittenOf(number); }); };
  EXPECT_EQ(written(family(false)), 0u);
  const SnapshotId whole = family(true);
  EXPECT_NE(whole, 0u);
  EXPECT_EQ(written(whole), whole);
}

TEST_F(StorageServiceTest, NotesWhatOthersHaveSaved)
{
  this->Write("/other1.h5");
  EXPECT_NO_THROW(this->Server.Ask("writer", NoteSaved{ 1 }));
  EXPECT_NO_THROW(this->Server.Ask("writer", NoteSaved{ 9 }));
  EXPECT_EQ(this->Server.Status().Saved, Numbers{ 1 });
}

TEST_F(StorageServiceTest, ForgetsAShellThatItsSealedFileHasReplaced)
{
  const SnapshotId shell = this->Server.WriteFile("writer", "/kept1.h5");
  BeginImage begin;
  begin.File = "/kept1.h5";
  begin.CopyOf = shell;
  const auto granted = this->Server.Ask("writer", begin);
  if (granted.Source)
  {
    this->Server.Notify("writer", CloseSnapshot{ granted.Source->Lease });
  }
  this->Server.Seal("writer", granted.Image.Image);
  this->Server.Wait(Seconds(3));
  EXPECT_EQ(this->TakeDisk(), 2u);
  this->EndDisk(DiskOutcome::Kind::Written);
  EXPECT_EQ(this->TakeDisk(), 0u) << "nobody wants the shell";
  EXPECT_FALSE(this->IsKept(shell));
}

// ---- Orders.

TEST_F(StorageServiceTest, RefusesOrdersIfNobodyWritesThem)
{
  this->Do([&] { this->Disk().OfferSaving(false); });
  EXPECT_EQ(
    this->Order(1, "next"), "this server writes no files: the program that hosts it offers none");
}

TEST_F(StorageServiceTest, SavesTheNewestAndTheNext)
{
  EXPECT_NE(this->Order(1, "newest"), "") << "there is none";
  this->Write("/a1.h5");
  EXPECT_EQ(this->Order(2, "newest"), "");
  EXPECT_EQ(this->Order(3, "next"), "");
  EXPECT_TRUE(this->IsKept(1));
  EXPECT_EQ(this->TakeSave(), 1u);
  EXPECT_EQ(this->Ordered->Ticket, 2u);
  this->Do([&] { this->Disk().NoteSaving(1000); });
  EXPECT_EQ(this->Server.Status().SavingNow->Number, 1u);
  EXPECT_EQ(this->Server.Status().SavingNow->Bytes, 1000u);
  this->EndSave();
  EXPECT_FALSE(this->Server.Status().SavingNow);
  EXPECT_FALSE(this->IsKept(1));
  EXPECT_EQ(this->TakeSave(), 0u);
  this->Write("/a2.h5");
  EXPECT_EQ(this->TakeSave(), 2u);
  EXPECT_EQ(this->Ordered->Ticket, 3u);
  this->EndSave("the disk is full");
  EXPECT_EQ(this->Server.Status().LastError, "the disk is full");
}

TEST_F(StorageServiceTest, StandingOrderSavesEachAndReportsItsTroubleOnce)
{
  this->Write("/a1.h5");
  EXPECT_EQ(this->Order(1, "each"), "");
  EXPECT_EQ(this->Do([&] { return this->Disk().TakeKnown(); }), std::optional<std::uint64_t>(1));
  EXPECT_EQ(this->Do([&] { return this->Disk().TakeKnown(); }), std::nullopt);
  this->Write("/a2.h5");
  ASSERT_EQ(this->Server.Status().Standing.size(), 1u);
  EXPECT_EQ(this->Server.Status().Standing.front().Waiting, 2u);
  EXPECT_EQ(this->TakeSave(), 1u);
  EXPECT_TRUE(this->Ordered->OfMany);
  this->EndSave("the disk is full");
  EXPECT_EQ(this->Server.Status().LastError, "the disk is full");
  this->Do([&] { this->Server.Core.State.Trouble.Note("nothing"); });
  EXPECT_EQ(this->TakeSave(), 2u);
  this->EndSave("the disk is full");
  EXPECT_EQ(this->Server.Status().LastError, "nothing") << "it was reported";
  this->Server.Wait(Seconds(5));
  EXPECT_EQ(this->TakeSave(), 1u);
  this->EndSave();
  EXPECT_EQ(this->TakeSave(), 2u);
  this->EndSave("the disk is full again");
  EXPECT_EQ(this->Server.Status().LastError, "the disk is full again");
}

TEST_F(StorageServiceTest, EndsAStandingOrderAfterWhatWaits)
{
  this->Order(1, "each");
  this->Write("/a1.h5");
  SaveRequest end;
  end.When = "end";
  end.Number = 1;
  EXPECT_EQ(this->Do([&] { return this->Disk().Order(2, end); }), "");
  this->Write("/a2.h5");
  EXPECT_EQ(this->TakeSave(), 1u);
  this->EndSave();
  EXPECT_EQ(this->TakeSave(), 0u);
  EXPECT_TRUE(this->Server.Status().Standing.empty());
}

// The snapshots that they are for are written.
TEST_F(StorageServiceTest, AnnouncesAllWhenAWriterOfStandingOrdersEnds)
{
  this->Order(1, "each");
  this->Server.WriteFile("writer", "/a1.h5");
  EXPECT_EQ(this->Server.Shown(), Numbers());
  this->Do([&] { this->Disk().OfferSaving(false); });
  EXPECT_EQ(this->Server.Shown(), Numbers{ 1 });
  EXPECT_EQ(this->TakeSave(), 1u);
}

TEST_F(StorageServiceTest, ReportsWhatLeavesTheMemoryAndIsNotInTheArchive)
{
  ServerOptions options = SimulatedServer::Options();
  options.MaximumSnapshots = 1;
  SimulatedServer server(options);
  server.Core.Router.Do([&] { server.Core.Storage.OfferSaving(true); });
  server.Connect("writer", "writer");
  SaveRequest each;
  each.When = "each";
  server.Core.Router.Do([&] { server.Core.Storage.Order(1, each); });
  server.WriteFile("writer", "/a1.h5");
  server.Wait(Seconds(1));
  server.Core.Router.Do(
    [&]
    {
      const auto order = server.Core.Storage.TakeSaveOrder();
      ASSERT_TRUE(order);
      server.Core.Storage.SaveDone(*order, "the disk is full");
    });
  server.WriteFile("writer", "/a2.h5");
  EXPECT_EQ(server.Status().LastError,
    "snapshot 1 (/a1.h5) had to leave the memory and is not in the archive: the disk is full");
}

// ---- Files that get another name.

// Viewers hear of those of step 2 when they are renamed already, and of the others before that.
TEST_F(StorageServiceTest, CountsKindsOfFilesThatAreRenamed)
{
  this->Do([&] { this->Server.Core.Disk.SetRule("every 2"); });
  SnapshotId number = 0;
  for (const int step : { 0, 1, 2, 3, 4 })
  {
    for (const int kind : { 1, 2 })
    {
      const std::string name = fmt::format("/out{}_{}.h5", kind, step);
      this->Server.WriteFile("writer", name + ".tmp");
      if (step != 2)
      {
        this->Server.Wait(Seconds(1));
      }
      this->Server.Ask("writer", RenameFile{ name, ++number });
      this->Server.Wait(Seconds(1));
    }
  }
  std::set<SnapshotId> onDisk;
  while (const SnapshotId one = this->TakeDisk())
  {
    EXPECT_TRUE(onDisk.insert(one).second) << one;
    this->EndDisk(DiskOutcome::Kind::Written);
  }
  EXPECT_EQ(onDisk, (std::set<SnapshotId>{ 1, 2, 5, 6, 9, 10 }));
}

TEST_F(StorageServiceTest, DecidesAgainWhenAFileIsRenamed)
{
  ASSERT_EQ(this->Order(5, "each", "*.chk"), "");
  const auto rename = [this](SnapshotId number, const std::string& name)
  { this->Server.Ask("writer", RenameFile{ name, number }); };
  this->Server.WriteFile("writer", "/tmp1");
  rename(1, "/kept1.chk"); // before anybody hears of it
  this->Server.Wait(Seconds(1));
  EXPECT_EQ(this->TakeDisk(), 1u);
  EXPECT_EQ(this->Taken->FileName, "/kept1.chk");
  this->EndDisk(DiskOutcome::Kind::Written);
  EXPECT_EQ(this->TakeSave(), 1u);
  this->EndSave();
  this->Write("/tmp2");
  EXPECT_EQ(this->TakeDisk(), 0u);
  rename(2, "/kept2.chk");
  EXPECT_EQ(this->TakeDisk(), 2u);
  this->EndDisk(DiskOutcome::Kind::Written);
  EXPECT_EQ(this->TakeSave(), 2u);
  this->EndSave();
  rename(2, "/kept3.chk");
  EXPECT_EQ(this->TakeDisk(), 0u) << "it is there";
  EXPECT_EQ(this->TakeSave(), 2u);
  EXPECT_TRUE(this->Ordered->IsRename);
  this->EndSave();
  EXPECT_EQ(this->TakeSave(), 0u);
  this->Write("/kept4");
  rename(3, "/other");
  EXPECT_EQ(this->TakeDisk(), 3u) << "it was decided, and the file is found where it is now";
}

}
