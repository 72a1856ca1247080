// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ReadService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;
using dsm::testing::Texts;
using Numbers = std::vector<SnapshotId>;

class ReadServiceTest : public ::testing::Test
{
protected:
  ReadServiceTest()
  {
    this->Server.Connect("writer", "writer");
    this->Server.Connect("viewer", "viewer");
  }

  /// Writes a file of which viewers hear at once.
  SnapshotId Write(const std::string& name)
  {
    const SnapshotId number = this->Server.WriteFile("writer", name);
    this->Server.Wait(Seconds(1));
    return number;
  }

  static OpenSnapshot Open(SnapshotId number)
  {
    OpenSnapshot open;
    open.Number = number;
    return open;
  }

  static AwaitSnapshot Await(const std::string& file, SnapshotId after, double seconds)
  {
    AwaitSnapshot await;
    await.File = file;
    await.After = after;
    await.Seconds = seconds;
    return await;
  }

  bool IsKept(SnapshotId number) { return this->Server.Core.Images.Snapshots().IsKept(number); }
  bool WasRead(SnapshotId number) { return this->Server.Core.Images.Snapshots().WasRead(number); }

  SimulatedServer Server;
};

// ---- Leases.

// The writer of the second version may have been killed before it entered that in the placeholder,
// and the file may have another name since.
TEST_F(ReadServiceTest, APlaceholderOfAnOlderVersionLeadsToTheNewest)
{
  const auto write = [this](SnapshotId base, const std::string& identity)
  {
    BeginImage begin;
    begin.File = "/a1.h5";
    begin.CopyOf = base;
    begin.OnDisk.File = identity;
    begin.OnDisk.Before = base;
    SealImage seal = this->Server.SealOf(this->Server.Ask("writer", begin).Image.Image, 4096);
    seal.OnDisk.IsThere = true;
    return this->Server.Ask("writer", seal).Number;
  };
  const SnapshotId first = write(0, "inode 1");
  const SlotIndex slot = this->Server.Core.Images.Snapshots().Find(first)->Slot;
  EXPECT_FALSE(this->Server.Slots.Closed.contains(slot));
  OpenSnapshot open = Open(first);
  open.Identity = "inode 1";
  EXPECT_EQ(this->Server.Ask("viewer", open).Snapshot.Number, first);
  const SnapshotId second = write(first, "inode 1");
  EXPECT_EQ(this->Server.Ask("viewer", open).Snapshot.Number, second);
  open.Identity = "inode 2"; // a copy of the placeholder
  EXPECT_EQ(this->Server.Ask("viewer", open).Snapshot.Number, first);
  open.Identity.clear();
  EXPECT_EQ(this->Server.Ask("viewer", open).Snapshot.Number, first);
}

// A file that was removed has left its snapshots under the name.
TEST_F(ReadServiceTest, OfAnUnfinishedFileOnlyItsOwnStatesAreRead)
{
  const SnapshotId removed = this->Write("/a.h5");
  const ImageId image = this->Server.Begin("writer", "/a.h5").Image;
  OpenSnapshot open;
  open.File = "/a.h5";
  open.Unfinished = UnfinishedFile{ image, 0 };
  const std::uint64_t none = this->Server.Send("viewer", open);
  EXPECT_TRUE(this->Server.IsRefused(none, Fault::Refused, "there is no snapshot"));
  open.Unfinished->Before = removed; // it is appended to
  EXPECT_EQ(this->Server.Ask("viewer", open).Snapshot.Number, removed);
  const SnapshotId shown = this->Server.Flush("writer", image);
  this->Server.Wait(Seconds(1));
  ASSERT_NE(shown, 0u);
  for (const SnapshotId before : { SnapshotId(0), removed })
  {
    open.Unfinished->Before = before;
    EXPECT_EQ(this->Server.Ask("viewer", open).Snapshot.Number, shown) << before;
  }
}

/// The server has not heard of the end of a program that was killed behind a flush.
class BehindAKill : public ReadServiceTest
{
protected:
  static constexpr std::uint64_t Process = 4711;

  BehindAKill()
  {
    PeerDescription process = SimulatedServer::Describe("killed", "writer");
    process.Process = Process;
    this->Server.Connect("killed", process);
  }

  ImageId Begin(SnapshotId copyOf = 0, const std::string& writer = "killed")
  {
    BeginImage begin;
    begin.File = "/a.h5";
    begin.CopyOf = copyOf;
    begin.Locks = true;
    begin.OnDisk.File = "inode 1";
    begin.OnDisk.Before = copyOf;
    return this->Server.Ask(writer, begin).Image.Image;
  }

  /// Opens a file before the server has heard of its writer's end. Then the server hears of it.
  std::uint64_t OpenAndLeave(const OpenSnapshot& open)
  {
    EXPECT_TRUE(this->Server.IsAnswered(this->Server.Send("viewer", open)) || open.Unfinished)
      << "the writer is there";
    this->Server.EndedProcesses.insert(Process);
    const std::uint64_t waits = this->Server.Send("viewer", open);
    this->Server.Wait(Seconds(0.2));
    EXPECT_FALSE(this->Server.IsAnswered(waits));
    this->Server.Leave("killed", true);
    this->Server.HostsWork();
    this->Server.Wait(Seconds(0.2));
    return waits;
  }
};

TEST_F(BehindAKill, WhatWasFlushedIsReadThoughTheServerHasNotHeardOfTheEnd)
{
  OpenSnapshot open;
  open.File = "/a.h5";
  open.Unfinished = UnfinishedFile{ this->Begin(), 0 };
  this->Server.Ask("killed", NoteFlush{ open.Unfinished->Image, 4096 });
  const std::uint64_t waits = this->OpenAndLeave(open);
  EXPECT_EQ(this->Server.ReplyTo<OpenSnapshot>(waits).Snapshot.Number, 1u);
}

TEST_F(BehindAKill, WhatWasFlushedIntoAClosedFileIsItsNewestVersion)
{
  SealImage seal = this->Server.SealOf(this->Begin(), 4096);
  seal.OnDisk.IsThere = true;
  const SnapshotId first = this->Server.Ask("killed", seal).Number;
  this->Server.Ask("killed", NoteFlush{ this->Begin(first), 4096 });
  OpenSnapshot open = Open(first);
  open.Identity = "inode 1";
  const std::uint64_t waits = this->OpenAndLeave(open);
  EXPECT_EQ(this->Server.ReplyTo<OpenSnapshot>(waits).Snapshot.Number, first + 1);
}

// The version before has left the memory, and its placeholder says so.
TEST_F(BehindAKill, WhatWasFlushedIsReadBehindAVersionThatWasDropped)
{
  SealImage seal = this->Server.SealOf(this->Begin(), 4096);
  seal.OnDisk.IsThere = true;
  const SnapshotId first = this->Server.Ask("killed", seal).Number;
  this->Server.Ask("killed", NoteFlush{ this->Begin(first), 4096 });
  OpenSnapshot open;
  open.File = "/a.h5";
  open.Unfinished = UnfinishedFile{ 0, first, "inode 1" };
  const std::uint64_t waits = this->OpenAndLeave(open);
  EXPECT_EQ(this->Server.ReplyTo<OpenSnapshot>(waits).Snapshot.Number, first + 1);
}

// The server has put the version before on disk, so that the file there has another identity.
TEST_F(BehindAKill, WhatWasFlushedIsNewerThanWhatIsOnDisk)
{
  SealImage seal = this->Server.SealOf(this->Begin(), 4096);
  seal.OnDisk.IsThere = true;
  const SnapshotId first = this->Server.Ask("killed", seal).Number;
  const FileMark mark{ 11, 4096, 5 };
  DiskBook& disk = this->Server.Core.Disk;
  disk.EnterWritten(this->Server.Core.Images.Snapshots().Described(first), mark);
  this->Server.Ask("killed", NoteFlush{ this->Begin(first), 4096 });
  EXPECT_EQ(this->Server.Ask("viewer", FindOnDisk{ "/a.h5", mark }).Newest, first);
  this->Server.EndedProcesses.insert(Process);
  const std::uint64_t waits = this->Server.Send("viewer", FindOnDisk{ "/a.h5", mark });
  EXPECT_FALSE(this->Server.IsAnswered(waits));
  this->Server.Leave("killed", true);
  this->Server.HostsWork();
  this->Server.Wait(Seconds(0.2));
  EXPECT_EQ(this->Server.ReplyTo<FindOnDisk>(waits).Newest, first + 1);
}

TEST_F(BehindAKill, WhatWasFlushedIsASnapshotBeforeTheServerEnds)
{
  this->Server.Ask("killed", NoteFlush{ this->Begin(), 4096 });
  this->Server.EndedProcesses.insert(Process);
  this->Server.Core.Router.Do([this] { this->Server.Core.TakeNoMore(); });
  EXPECT_TRUE(this->Server.Core.Writes.IsEndingUnfinished());
  this->Server.HostsWork();
  EXPECT_FALSE(this->Server.Core.Writes.IsEndingUnfinished());
  EXPECT_EQ(this->Server.Core.Images.Snapshots().Shown().size(), 1u) << "announced as well";
}

// The next writer has not seen that version, and has put another address into the placeholder.
TEST_F(BehindAKill, WhatWasFlushedIsReadBehindTheNextKilledWriter)
{
  this->Server.Ask("killed", NoteFlush{ this->Begin(), 4096 });
  this->Server.Leave("killed", true);
  this->Server.HostsWork();
  this->Server.Connect("next", "writer");
  OpenSnapshot open;
  open.File = "/a.h5";
  open.Unfinished = UnfinishedFile{ this->Begin(0, "next"), 0, "inode 1" };
  this->Server.Leave("next", true);
  this->Server.HostsWork();
  EXPECT_EQ(this->Server.Ask("viewer", open).Snapshot.Number, 1u);
  open.Unfinished->Identity = "inode 2"; // a copy of the placeholder
  EXPECT_TRUE(this->Server.IsRefused(this->Server.Send("viewer", open), Fault::Gone, "ended"));
}

TEST_F(BehindAKill, AFileThatWasNeverFlushedIsLostAndNoMoreBeingWritten)
{
  OpenSnapshot open;
  open.File = "/a.h5";
  open.Unfinished = UnfinishedFile{ this->Begin(), 0 };
  this->Server.EndedProcesses.insert(Process);
  this->Server.Connect("hasty", "viewer");
  const std::uint64_t left = this->Server.Send("hasty", open);
  this->Server.Leave("hasty", true);
  EXPECT_TRUE(this->Server.IsRefused(this->OpenAndLeave(open), Fault::Gone, "ended before"));
  EXPECT_FALSE(this->Server.IsAnswered(left));
}

TEST_F(ReadServiceTest, LeasesASnapshotUntilItIsClosed)
{
  this->Write("/a.h5");
  const LeasedSnapshot leased = this->Server.Ask("viewer", Open(1));
  EXPECT_EQ(leased.Snapshot.Number, 1u);
  EXPECT_TRUE(this->IsKept(1));
  EXPECT_FALSE(this->WasRead(1));
  this->Server.Notify("viewer", CloseSnapshot{ leased.Lease + 1 });
  EXPECT_TRUE(this->IsKept(1)) << "that is another lease";
  this->Server.Notify("writer", CloseSnapshot{ leased.Lease });
  EXPECT_TRUE(this->IsKept(1)) << "that is another peer";
  this->Server.Notify("viewer", CloseSnapshot{ leased.Lease });
  EXPECT_FALSE(this->IsKept(1));
  EXPECT_TRUE(this->WasRead(1));
}

TEST_F(ReadServiceTest, PeeksAndGuestsDoNotCountAsReaders)
{
  this->Write("/a.h5");
  OpenSnapshot peek = Open(1);
  peek.Peek = true;
  this->Server.Notify("viewer", CloseSnapshot{ this->Server.Ask("viewer", peek).Lease });
  const std::string key = this->Server.Invite("eve", Right::Look);
  this->Server.Connect("guest", SimulatedServer::Describe("guest", "viewer"), key);
  const auto lease = this->Server.Ask("guest", Open(1), key).Lease;
  this->Server.Notify("guest", CloseSnapshot{ lease }, key);
  EXPECT_FALSE(this->IsKept(1));
  EXPECT_FALSE(this->WasRead(1));
}

TEST_F(ReadServiceTest, RefusesWhatIsNotThere)
{
  EXPECT_TRUE(this->Server.IsRefused(this->Server.Send("viewer", Open(7)), Fault::Refused, "7"));
  EXPECT_TRUE(
    this->Server.IsRefused(this->Server.Send("viewer", LocateSnapshot{ 7 }), Fault::Refused, "7"));
  EXPECT_TRUE(
    this->Server.IsRefused(this->Server.Send("nobody", Open(7)), Fault::PeerLost, "not know"));
}

// Somebody who waits for a newer state must not take an older one for it.
TEST_F(ReadServiceTest, RefusesByNameWhatHasLeftTheRing)
{
  ServerOptions options = SimulatedServer::Options();
  options.MaximumSnapshots = 1;
  SimulatedServer server(options);
  server.Connect("writer", "writer");
  server.WriteFile("writer", "/a.h5");
  server.WriteFile("writer", "/b.h5");
  OpenSnapshot open;
  open.File = "/a.h5";
  EXPECT_TRUE(server.IsRefused(server.Send("writer", open), Fault::Gone,
    "snapshot 1 of /a.h5 has left the DSM server's ring"));
  open.Instead = "*.h5";
  EXPECT_THROW(server.Ask("writer", open), Error);
  OpenSnapshot byNumber = Open(1);
  byNumber.Instead = "*.h5";
  EXPECT_EQ(server.Ask("writer", byNumber).Snapshot.Number, 2u);
}

TEST_F(ReadServiceTest, TellsWhereASnapshotIsNowByChannelAndInMemoryAlike)
{
  this->Write("/a.h5");
  const auto byChannel = this->Server.Ask("viewer", LocateSnapshot{ 1 });
  const std::uint64_t inMemory = this->Server.SendInMemory(LocateSnapshot{ 1 });
  EXPECT_EQ(this->Server.ReplyTo<LocateSnapshot>(inMemory), byChannel);
  EXPECT_EQ(byChannel, *this->Server.Core.Images.Snapshots().Find(1));
  EXPECT_TRUE(
    this->Server.IsRefused(this->Server.SendInMemory(LocateSnapshot{ 7 }), Fault::Refused, "7"));
}

TEST_F(ReadServiceTest, WatchesMemoryForTheRanksOfAReader)
{
  this->Server.Connect("parallel", "viewer", 4);
  this->Write("/a.h5");
  this->Server.Ask("viewer", Open(1));
  EXPECT_EQ(this->Server.MemoryWatches, 0u);
  EXPECT_FALSE(this->Server.Core.LookInMemory());
  const auto lease = this->Server.Ask("parallel", Open(1)).Lease;
  EXPECT_EQ(this->Server.MemoryWatches, 1u);
  EXPECT_TRUE(this->Server.Core.LookInMemory()) << "its ranks may not ring";
  this->Server.Notify("parallel", CloseSnapshot{ lease });
  EXPECT_FALSE(this->Server.Core.LookInMemory());
}

// ---- Ranks without a channel.

TEST_F(ReadServiceTest, LeasesToARankInTheNameOfItsSpeaker)
{
  this->Write("/a.h5");
  OpenForRank open;
  open.Speaker = "viewer";
  open.Lease = HoldSnapshots::FirstLease + 3;
  open.Wanted = Open(1);
  const auto inMemory = this->Server.ReplyTo<OpenForRank>(this->Server.SendInMemory(open)).Snapshot;
  const auto byChannel = this->Server.Ask("viewer", open).Snapshot;
  EXPECT_EQ(inMemory, byChannel) << "it may ask twice";
  EXPECT_TRUE(this->IsKept(1));
  const CloseForRank close{ "viewer", open.Lease };
  EXPECT_NO_THROW(this->Server.ReplyTo<CloseForRank>(this->Server.SendInMemory(close)));
  EXPECT_FALSE(this->IsKept(1)) << "two answers, one lease";
  EXPECT_NO_THROW(this->Server.ReplyTo<CloseForRank>(this->Server.SendInMemory(close)));
  EXPECT_TRUE(this->WasRead(1));
}

TEST_F(ReadServiceTest, RefusesRanksThatNobodySpeaksForAndNumbersOfTheServer)
{
  this->Write("/a.h5");
  OpenForRank open;
  open.Speaker = "nobody";
  open.Lease = HoldSnapshots::FirstLease;
  open.Wanted = Open(1);
  const std::string unknown = "nobody speaks for this rank at the DSM server";
  EXPECT_TRUE(this->Server.IsRefused(this->Server.SendInMemory(open), Fault::Unsupported, unknown));
  EXPECT_TRUE(this->Server.IsRefused(
    this->Server.SendInMemory(CloseForRank{ "nobody", 1 }), Fault::Unsupported, unknown));
  open.Speaker = "viewer";
  open.Lease = 3;
  EXPECT_TRUE(this->Server.IsRefused(this->Server.SendInMemory(open), Fault::Refused,
    "the number of a rank's lease is one of the server's own"));
}

TEST_F(ReadServiceTest, EndsTheLeasesOfRanksWithTheirSpeaker)
{
  this->Write("/a.h5");
  OpenForRank open;
  open.Speaker = "viewer";
  open.Lease = HoldSnapshots::FirstLease;
  open.Wanted = Open(1);
  this->Server.SendInMemory(open);
  this->Server.Leave("viewer", false);
  EXPECT_FALSE(this->IsKept(1));
}

// ---- Notifications.

TEST_F(ReadServiceTest, HoldsWhatAPeerReadsWithoutAsking)
{
  this->Write("/a1.h5");
  this->Write("/a2.h5");
  HoldSnapshots hold;
  hold.Begun = { { 1, HoldSnapshots::FirstLease, false }, { 7, HoldSnapshots::FirstLease + 1 } };
  hold.Read = { 2, 8 };
  this->Server.Notify("viewer", hold);
  EXPECT_TRUE(this->IsKept(1));
  EXPECT_FALSE(this->WasRead(1));
  EXPECT_TRUE(this->WasRead(2));
  HoldSnapshots end;
  end.Ended = { HoldSnapshots::FirstLease, HoldSnapshots::FirstLease + 9 };
  this->Server.Notify("viewer", end);
  EXPECT_FALSE(this->IsKept(1));
  EXPECT_TRUE(this->WasRead(1));
  EXPECT_FALSE(this->Server.IsAnswered(0)) << "nothing is refused";
}

TEST_F(ReadServiceTest, GrantsWaitingWritersRoomWhenAHeldSnapshotIsRead)
{
  ServerOptions options = SimulatedServer::Options();
  options.MaximumSnapshots = 1;
  options.WhenFull = FullRing::Block;
  SimulatedServer server(options);
  server.Connect("writer", "writer");
  server.Connect("viewer", "viewer");
  server.WriteFile("writer", "/a1.h5");
  BeginImage begin;
  begin.File = "/a2.h5";
  const std::uint64_t waiting = server.Send("writer", begin);
  HoldSnapshots hold;
  hold.Read = { 1 };
  server.Notify("viewer", hold);
  server.HostsWork();
  EXPECT_TRUE(server.IsAnswered(waiting));
}

// Its reader has entered the slot, and the server has not heard of it yet.
TEST_F(ReadServiceTest, EvictsNoSnapshotThatAReaderHasEntered)
{
  for (const FullRing policy : { FullRing::DropOldest, FullRing::Block, FullRing::DropNewest })
  {
    ServerOptions options = SimulatedServer::Options();
    options.MaximumSnapshots = 1;
    options.WhenFull = policy;
    SimulatedServer server(options);
    server.Connect("writer", "writer");
    server.Connect("viewer", "viewer");
    const SnapshotId first = server.WriteFile("writer", "/a1.h5");
    server.Read("viewer", first);
    const SnapshotDescription entered = *server.Core.Images.Snapshots().Find(first);
    server.Slots.Readers.insert(entered.Slot);
    BeginImage begin;
    begin.File = "/a2.h5";
    const std::uint64_t waiting = server.Send("writer", begin);
    server.HostsWork();
    EXPECT_FALSE(server.IsAnswered(waiting)) << FullRingName(policy);
    EXPECT_FALSE(server.Slots.IsClosed);
    HoldSnapshots hold;
    hold.Begun = { { first, HoldSnapshots::FirstLease, false, entered.Slot } };
    server.Notify("viewer", hold);
    EXPECT_TRUE(server.Slots.Readers.empty()) << "the lease keeps it";
    server.Wait(Seconds(1));
    EXPECT_FALSE(server.IsAnswered(waiting));
    HoldSnapshots end;
    end.Ended = { HoldSnapshots::FirstLease };
    server.Notify("viewer", end);
    server.HostsWork();
    EXPECT_TRUE(server.IsAnswered(waiting)) << FullRingName(policy);
    EXPECT_FALSE(server.Slots.IsClosed);
  }
}

TEST_F(ReadServiceTest, GrantsWaitingWritersRoomWhenAReaderHasLeft)
{
  ServerOptions options = SimulatedServer::Options();
  options.MaximumSnapshots = 1;
  SimulatedServer server(options);
  server.Connect("writer", "writer");
  const SnapshotId first = server.WriteFile("writer", "/a1.h5");
  server.Slots.Readers.insert(server.Core.Images.Snapshots().Find(first)->Slot);
  BeginImage begin;
  begin.File = "/a2.h5";
  const std::uint64_t waiting = server.Send("writer", begin);
  server.Wait(Seconds(1));
  EXPECT_FALSE(server.IsAnswered(waiting));
  server.Slots.Readers.clear(); // and nobody says so
  server.Wait(Seconds(1));
  server.HostsWork();
  EXPECT_TRUE(server.IsAnswered(waiting));
}

TEST_F(ReadServiceTest, IgnoresASlotThatThereIsNone)
{
  HoldSnapshots hold;
  hold.Begun = { { 7, HoldSnapshots::FirstLease, false, SlotIndex(1'000'000'000) } };
  this->Server.Notify("viewer", hold);
  EXPECT_FALSE(this->Server.IsAnswered(0));
}

// ---- Joint reads.

TEST_F(ReadServiceTest, RanksThatReadTogetherGetTheSameSnapshotUntilAllHaveIt)
{
  this->Write("/a1.h5");
  OpenSnapshot open = Open(9); // which is not there
  open.Instead = "*.h5";
  open.Together = JointViewer{ "render", 2 };
  this->Server.Connect("rank 0", "viewer");
  this->Server.Connect("rank 1", "viewer");
  const LeasedSnapshot first = this->Server.Ask("rank 0", open);
  EXPECT_EQ(first.Snapshot.Number, 1u);
  this->Server.Notify("rank 0", CloseSnapshot{ first.Lease });
  EXPECT_TRUE(this->IsKept(1)) << "the other rank has not come yet";
  this->Write("/a2.h5");
  const LeasedSnapshot second = this->Server.Ask("rank 1", open);
  EXPECT_EQ(second.Snapshot.Number, 1u) << "what the first got, though there is a newer one";
  this->Server.Notify("rank 1", CloseSnapshot{ second.Lease });
  EXPECT_FALSE(this->IsKept(1));
  EXPECT_EQ(this->Server.Ask("rank 0", open).Snapshot.Number, 2u) << "another joint read";
}

TEST_F(ReadServiceTest, JointReadEndsIfARankDoesNotComeInTime)
{
  this->Write("/a1.h5");
  OpenSnapshot open = Open(1);
  open.Together = JointViewer{ "render", 2 };
  const auto lease = this->Server.Ask("viewer", open).Lease;
  this->Server.Notify("viewer", CloseSnapshot{ lease });
  this->Server.Wait(Seconds(9.9));
  EXPECT_TRUE(this->IsKept(1));
  this->Server.Wait(Seconds(0.1));
  EXPECT_FALSE(this->IsKept(1));
}

// ---- Lists and names.

TEST_F(ReadServiceTest, ListsWhatViewersAreToldOf)
{
  this->Write("/a1.h5");
  this->Write("/b1.h5");
  this->Server.WriteFile("writer", "/b2.h5"); // its stream's files are not opened again
  this->Server.WriteFile("writer", "/c1.h5"); // hidden
  const auto numbers = [&](const ListSnapshots& asked)
  {
    Numbers found;
    for (const auto& one : this->Server.Ask("viewer", asked).Snapshots)
    {
      found.push_back(one.Number);
    }
    return found;
  };
  ListSnapshots all;
  EXPECT_EQ(numbers(all), (Numbers{ 1, 2, 3 }));
  ListSnapshots hidden;
  hidden.HiddenToo = true;
  EXPECT_EQ(numbers(hidden), (Numbers{ 1, 2, 3, 4 }));
  ListSnapshots matching;
  matching.Match = "b*.h5";
  EXPECT_EQ(numbers(matching), (Numbers{ 2, 3 }));
  ListSnapshots stream;
  stream.Match = "a#.h5";
  EXPECT_EQ(numbers(stream), Numbers{ 1 });
  ListSnapshots one;
  one.Number = 4;
  EXPECT_EQ(numbers(one), Numbers());
  one.HiddenToo = true;
  EXPECT_EQ(numbers(one), Numbers{ 4 });
}

TEST_F(ReadServiceTest, ListsWithoutPlacesAndKeepsTheNewestIfAsked)
{
  const auto image = this->Server.Begin("writer", "/a1.h5");
  this->Server.Flush("writer", image.Image);
  ListSnapshots list;
  list.Hold = true;
  const SnapshotList listed = this->Server.Ask("viewer", list);
  ASSERT_EQ(listed.Snapshots.size(), 1u);
  EXPECT_FALSE(listed.Snapshots.front().Shared) << "who opens it hears where it is";
  ASSERT_TRUE(listed.Lease);
  EXPECT_TRUE(this->IsKept(1));
  this->Server.Notify("viewer", CloseSnapshot{ *listed.Lease });
  EXPECT_FALSE(this->IsKept(1));
  EXPECT_FALSE(this->WasRead(1)) << "it was only chosen from";
}

TEST_F(ReadServiceTest, ForgetsTheNameOfADeletedFile)
{
  this->Server.WriteFile("writer", "/a.h5");
  this->Write("/a.h5");
  EXPECT_EQ(this->Server.Ask("writer", DeleteFile{ "/a.h5" }).Snapshots, 2u);
  OpenSnapshot open;
  open.File = "/a.h5";
  EXPECT_TRUE(this->Server.IsRefused(this->Server.Send("viewer", open), Fault::Refused, "/a.h5"));
  EXPECT_EQ(this->Server.Ask("viewer", Open(2)).Snapshot.Number, 2u);
}

TEST_F(ReadServiceTest, DropsASnapshotThatNobodyReads)
{
  this->Write("/a.h5");
  this->Write("/b.h5");
  this->Write("/c.h5");
  this->Server.Ask("viewer", DropSnapshot{ 2 });
  const auto listed = this->Server.Ask("viewer", ListSnapshots()).Snapshots;
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed.front().Number, 1u);
  EXPECT_EQ(listed.back().Number, 3u);
  EXPECT_TRUE(this->Server.IsRefused(this->Server.Send("viewer", DropSnapshot{ 2 }), Fault::Gone,
    "cannot drop snapshot 2: it has left the memory already"));
}

TEST_F(ReadServiceTest, KeepsASnapshotThatIsReadFromBeingDropped)
{
  this->Write("/a.h5");
  const auto lease = this->Server.Ask("viewer", Open(1)).Lease;
  EXPECT_TRUE(this->Server.IsRefused(
    this->Server.Send("viewer", DropSnapshot{ 1 }), Fault::Refused, "cannot drop snapshot 1"));
  this->Server.Notify("viewer", CloseSnapshot{ lease });
  this->Server.Ask("viewer", DropSnapshot{ 1 });
  EXPECT_TRUE(this->Server.Ask("viewer", ListSnapshots()).Snapshots.empty());
}

TEST_F(ReadServiceTest, WhoWaitsForAnyFileHearsOfTheNewest)
{
  const std::uint64_t request = this->Server.Send("viewer", Await("", 0, 5));
  EXPECT_FALSE(this->Server.IsAnswered(request));
  this->Write("/a.h5");
  EXPECT_EQ(this->Server.ReplyTo<AwaitSnapshot>(request).Number, 1u);
  this->Write("/b.h5");
  this->Write("/c.h5");
  EXPECT_EQ(this->Server.Ask("viewer", Await("", 1, 5)).Number, 3u);
}

TEST_F(ReadServiceTest, WhoWaitsForAnyFileWaitsAlsoIfNobodyWrites)
{
  this->Write("/a.h5");
  this->Server.Leave("writer", false);
  const std::uint64_t request = this->Server.Send("viewer", Await("", 1, 5));
  this->Server.Wait(Seconds(4));
  EXPECT_FALSE(this->Server.IsAnswered(request));
  this->Server.Wait(Seconds(2));
  EXPECT_EQ(this->Server.ReplyTo<AwaitSnapshot>(request).Number, 0u);
}

TEST_F(ReadServiceTest, FindsARenamedFileByItsNewName)
{
  const std::uint64_t request = this->Server.Send("viewer", Await("/a.h5", 0, 5));
  this->Write("/a.tmp");
  EXPECT_FALSE(this->Server.IsAnswered(request));
  this->Server.Ask("writer", RenameFile{ "/a.h5", 1 });
  EXPECT_EQ(this->Server.ReplyTo<AwaitSnapshot>(request).Number, 1u);
  OpenSnapshot open;
  open.File = "/a.h5";
  EXPECT_EQ(this->Server.Ask("viewer", open).Snapshot.Number, 1u);
  open.File = "/a.tmp";
  EXPECT_TRUE(this->Server.IsRefused(this->Server.Send("viewer", open), Fault::Refused, "/a.tmp"));
}

TEST_F(ReadServiceTest, AnOpenFileIsClosedUnderTheNameThatItHasThen)
{
  const auto image = this->Server.Begin("writer", "/a.tmp");
  const std::uint64_t rank = this->Server.SendInMemory(RenameFile{ "/a.h5", 0, { image.Image } });
  EXPECT_TRUE(this->Server.IsAnswered(rank)) << "any rank may have renamed it";
  this->Server.Seal("writer", image.Image);
  const auto* snapshot = this->Server.Core.Images.Snapshots().Find(1);
  EXPECT_EQ(snapshot->FileName, "/a.h5");
  EXPECT_EQ(snapshot->Stream, "a.h5");
  this->Server.Ask("writer", RenameFile{ "/b.h5", 0, { image.Image } }); // closed in between
  EXPECT_EQ(this->Server.Core.Images.Snapshots().Find(1)->FileName, "/b.h5");
  this->Server.Ask("writer", RenameFile{ "/c.h5", 7 }); // it has left
}

// The placeholder names the version that the image is a copy of.
TEST_F(ReadServiceTest, AFileThatIsAppendedToIsClosedUnderTheNameThatItHasThen)
{
  const SnapshotId first = this->Write("/a.tmp");
  BeginImage begin;
  begin.File = "/a.tmp";
  begin.CopyOf = first;
  begin.OnDisk.File = "inode 1";
  begin.OnDisk.Before = first;
  const ImageId image = this->Server.Ask("writer", begin).Image.Image;
  const ImageId other = this->Server.Begin("writer", "/b.tmp").Image;
  this->Server.Ask("writer", RenameFile{ "/a.h5", first, {}, "inode 1" });
  EXPECT_EQ(this->Server.Core.Images.Image(image).FileName, "/a.h5");
  EXPECT_EQ(this->Server.Core.Images.Image(other).FileName, "/b.tmp");
  this->Server.Seal("writer", image);
  EXPECT_EQ(this->Server.Core.Images.Snapshots().Find(SnapshotId(first + 1))->FileName, "/a.h5");
}

// The placeholder names the killed writer's image until the server has heard of its end.
TEST_F(ReadServiceTest, AFileWhoseWriterWasKilledIsRenamed)
{
  const SnapshotId first = this->Write("/a.tmp");
  BeginImage begin;
  begin.File = "/a.tmp";
  begin.OnDisk.File = "inode 1";
  begin.OnDisk.Before = first;
  const ImageId image = this->Server.Ask("writer", begin).Image.Image;
  this->Server.Ask("other", RenameFile{ "/a.h5", 0, { image, first }, "inode 1" });
  this->Server.Leave("writer", true);
  EXPECT_EQ(this->Server.Core.Images.Snapshots().Find(first)->FileName, "/a.h5");
}

// ---- Waiting.

TEST_F(ReadServiceTest, AwaitsTheNextSnapshotOfAFile)
{
  const std::uint64_t request = this->Server.Send("viewer", Await("/a.h5", 0, 5));
  this->Write("/b.h5");
  EXPECT_FALSE(this->Server.IsAnswered(request));
  this->Server.WriteFile("writer", "/a.h5");
  EXPECT_FALSE(this->Server.IsAnswered(request)) << "viewers do not hear of it yet";
  this->Server.Wait(Seconds(1));
  const AwaitedSnapshot awaited = this->Server.ReplyTo<AwaitSnapshot>(request);
  EXPECT_EQ(awaited.Number, 2u);
  EXPECT_FALSE(awaited.NoneWillCome);
}

TEST_F(ReadServiceTest, AnswersAtOnceWhatIsThere)
{
  this->Write("/a.h5");
  this->Write("/a.h5");
  EXPECT_EQ(this->Server.Ask("viewer", Await("/a.h5", 0, 5)).Number, 1u);
  EXPECT_EQ(this->Server.Ask("viewer", Await("/a.h5", 1, 5)).Number, 2u);
}

TEST_F(ReadServiceTest, EndsToAwaitAtItsLimit)
{
  const std::uint64_t request = this->Server.Send("viewer", Await("/a.h5", 0, 5));
  const std::uint64_t none = this->Server.Send("viewer", Await("/a.h5", 0, -1));
  EXPECT_EQ(this->Server.ReplyTo<AwaitSnapshot>(none).Number, 0u);
  this->Server.Wait(Seconds(4.9));
  EXPECT_FALSE(this->Server.IsAnswered(request));
  this->Server.Wait(Seconds(0.1));
  const AwaitedSnapshot awaited = this->Server.ReplyTo<AwaitSnapshot>(request);
  EXPECT_EQ(awaited.Number, 0u);
  EXPECT_FALSE(awaited.NoneWillCome);
}

TEST_F(ReadServiceTest, RefusesToAwaitTooMuch)
{
  for (int i = 0; i < 64; ++i)
  {
    this->Server.Send("viewer", Await("/a.h5", 0, 5));
  }
  const std::string refusal =
    "viewer (1 rank on node) waits for 64 snapshots at once: /b.h5 is one too many";
  EXPECT_TRUE(this->Server.IsRefused(
    this->Server.Send("viewer", Await("/b.h5", 0, 5)), Fault::Refused, refusal));
  this->Server.Connect("other", "viewer");
  EXPECT_FALSE(this->Server.IsAnswered(this->Server.Send("other", Await("/b.h5", 0, 5))));
}

TEST_F(ReadServiceTest, SaysThatNoneWillComeWhenTheLastWriterHasEnded)
{
  this->Write("/a.h5");
  EXPECT_EQ(this->Server.Ask("viewer", Await("/a.h5", 0, 5)).Number, 1u);
  const std::uint64_t request = this->Server.Send("viewer", Await("/a.h5", 1, 5));
  this->Server.Leave("writer", false);
  this->Server.Wait(Seconds(0));
  const AwaitedSnapshot awaited = this->Server.ReplyTo<AwaitSnapshot>(request);
  EXPECT_EQ(awaited.Number, 0u);
  EXPECT_TRUE(awaited.NoneWillCome);
}

TEST_F(ReadServiceTest, WaitsForAWriterThatWasLostAndMayComeBack)
{
  this->Write("/a.h5");
  this->Server.Ask("viewer", Await("/a.h5", 0, 5));
  const std::uint64_t request = this->Server.Send("viewer", Await("/a.h5", 1, 5));
  this->Server.Leave("writer", true);
  this->Server.Wait(Seconds(1));
  EXPECT_FALSE(this->Server.IsAnswered(request));
  this->Server.Wait(Seconds(4));
  EXPECT_FALSE(this->Server.ReplyTo<AwaitSnapshot>(request).NoneWillCome);
}

// It came before the program that it waits for.
TEST_F(ReadServiceTest, AFirstReaderWaitsThoughNobodyWrites)
{
  SimulatedServer server;
  server.Connect("writer", "writer");
  server.Leave("writer", false);
  server.Connect("viewer", "viewer");
  const std::uint64_t first = server.Send("viewer", Await("/a.h5", 0, 60));
  server.Wait(Seconds(1));
  EXPECT_FALSE(server.IsAnswered(first));
  server.Connect("writer", "writer");
  server.Leave("writer", false);
  server.Wait(Seconds(1));
  EXPECT_TRUE(server.ReplyTo<AwaitSnapshot>(first).NoneWillCome) << "another has come and left";
}

// Of a chain of programs that each write what the next reads, the first ends first.
TEST_F(ReadServiceTest, OfAChainThatWaitsTheFirstHearsFirstThatNoneWillCome)
{
  this->Write("/a.h5");
  this->Server.Wait(Seconds(1));
  this->Server.Connect("middle", "writer");
  this->Server.Wait(Seconds(1));
  this->Server.Connect("last", "writer");
  EXPECT_EQ(this->Server.Ask("middle", Await("/a.h5", 0, 5)).Number, 1u);
  EXPECT_EQ(this->Server.Ask("last", Await("/a.h5", 0, 5)).Number, 1u);
  const std::uint64_t middle = this->Server.Send("middle", Await("/a.h5", 1, 60));
  const std::uint64_t last = this->Server.Send("last", Await("/b.h5", 1, 60));
  this->Server.Leave("writer", false);
  this->Server.Wait(Seconds(0));
  EXPECT_TRUE(this->Server.IsAnswered(middle));
  EXPECT_TRUE(this->Server.ReplyTo<AwaitSnapshot>(middle).NoneWillCome);
  EXPECT_FALSE(this->Server.IsAnswered(last)) << "the middle one may write now";
  this->Server.Leave("middle", false);
  this->Server.Wait(Seconds(0));
  EXPECT_TRUE(this->Server.ReplyTo<AwaitSnapshot>(last).NoneWillCome);
}

TEST_F(ReadServiceTest, TakesOneSnapshotAfterTheOther)
{
  const auto take = [&](SnapshotId after, bool next, double seconds = 0)
  {
    TakeSnapshot message;
    message.After = after;
    message.Next = next;
    message.Seconds = seconds;
    return this->Server.Send("viewer", message);
  };
  const auto numberOf = [&](std::uint64_t request)
  {
    const auto taken = this->Server.ReplyTo<TakeSnapshot>(request);
    return taken.Snapshot ? taken.Snapshot->Snapshot.Number : SnapshotId(0);
  };
  const std::uint64_t waits = take(0, true, 5);
  EXPECT_FALSE(this->Server.IsAnswered(waits));
  this->Write("/a1.h5");
  EXPECT_EQ(numberOf(waits), 1u);
  EXPECT_FALSE(this->WasRead(1));
  this->Write("/a2.h5");
  this->Write("/a3.h5");
  EXPECT_EQ(numberOf(take(1, true)), 2u);
  EXPECT_EQ(this->Server.ReplyTo<TakeSnapshot>(take(1, true)).Counts.InMemory, 3u);
  EXPECT_EQ(numberOf(take(1, false)), 3u) << "the newest";
  EXPECT_EQ(numberOf(take(3, true)), 0u);
  const std::uint64_t late = take(3, true, 5);
  this->Server.Wait(Seconds(5));
  EXPECT_EQ(numberOf(late), 0u);
  const std::uint64_t last = take(3, true, 5);
  this->Server.Leave("writer", false);
  this->Server.Wait(Seconds(0));
  EXPECT_EQ(numberOf(last), 0u) << "none will come";
}

TEST_F(ReadServiceTest, ATakerThatIsLostHasNotReadWhatItTook)
{
  this->Write("/a1.h5");
  this->Write("/a2.h5");
  const auto take = [&](const PeerId& peer, SnapshotId after)
  {
    TakeSnapshot message;
    message.After = after;
    return this->Server.Ask(peer, message).Snapshot->Lease;
  };
  this->Server.Connect("other", "viewer");
  take("viewer", 0);
  this->Server.Notify("other", CloseSnapshot{ take("other", 1) });
  this->Server.Leave("viewer", true);
  EXPECT_FALSE(this->WasRead(1));
  EXPECT_TRUE(this->WasRead(2));
}

TEST_F(ReadServiceTest, WhatAGuestTakesDoesNotCountAsRead)
{
  this->Write("/a1.h5");
  const std::string key = this->Server.Invite("eve", Right::Look);
  this->Server.Connect("guest", SimulatedServer::Describe("guest", "viewer"), key);
  const auto taken = this->Server.Ask("guest", TakeSnapshot(), key).Snapshot;
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->Snapshot.Number, 1u);
  this->Server.Notify("guest", CloseSnapshot{ taken->Lease }, key);
  EXPECT_FALSE(this->WasRead(1));
}

TEST_F(ReadServiceTest, ForgetsThoseWhoWaitWhenTheyLeave)
{
  const std::uint64_t awaits = this->Server.Send("viewer", Await("/a.h5", 0, 5));
  TakeSnapshot take;
  take.Seconds = 5;
  const std::uint64_t takes = this->Server.Send("viewer", take);
  this->Server.Leave("viewer", true);
  this->Write("/a.h5");
  this->Server.Wait(Seconds(10));
  EXPECT_FALSE(this->Server.IsAnswered(awaits));
  EXPECT_FALSE(this->Server.IsAnswered(takes));
}

// ---- The host program.

TEST_F(ReadServiceTest, HostProgramTakesAndReleases)
{
  this->Write("/a.h5");
  auto& reads = this->Server.Core.Reads;
  this->Server.Core.Router.Do(
    [&]
    {
      ASSERT_TRUE(reads.After(0, true));
      EXPECT_FALSE(reads.After(1, true));
      EXPECT_EQ(reads.Take(1).Number, 1u);
      EXPECT_FALSE(reads.NoneWillCome());
    });
  EXPECT_FALSE(this->WasRead(1));
  this->Server.Core.Router.Do([&] { reads.Release(1); });
  EXPECT_TRUE(this->WasRead(1));
  this->Server.Leave("writer", false);
  this->Server.Core.Router.Do([&] { EXPECT_TRUE(reads.NoneWillCome()); });
}

}
