// SPDX-License-Identifier: BSD-3-Clause
// Tests which snapshots the server keeps for viewers that map them, and when it releases them.
#include "Server/Core/MappingService.h"

#include "Base/Timeouts.h"
#include "Memory/SegmentLayout.h"
#include "SimulatedServer.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;

class MappingServiceTest : public ::testing::Test
{
protected:
  static constexpr std::uint64_t Lent = 1 << 20;

  /// Two hosts that have room for ten files of 200 KiB.
  explicit MappingServiceTest(const ServerOptions& options = SimulatedServer::Options())
    : Server(2, Lent, options)
  {
    this->Server.Connect("writer", "writer");
    this->Server.Connect("viewer", "viewer");
  }

  /// The writer's next file. Returns its snapshot.
  SnapshotId Write(std::uint64_t size = Size)
  {
    const SnapshotId number =
      this->Server.WriteFile("writer", fmt::format("/a{}.h5", ++this->Files), size);
    this->Server.Wait(Seconds(1));
    return number;
  }

  static std::uint64_t ProcessOf(const PeerId& peer)
  {
    return SimulatedServer::Describe(peer, "viewer").Process;
  }

  MappingReply AskToMap(SnapshotId number, const PeerId& peer = "viewer")
  {
    return this->Server.Ask(peer, MapSnapshot{ number, ProcessOf(peer) });
  }

  /// The same, and takes the place.
  MappingReply Map(SnapshotId number, const PeerId& peer = "viewer")
  {
    const MappingReply reply = this->AskToMap(number, peer);
    EXPECT_TRUE(
      !reply.Kept || this->Server.Slots.Mapped(reply.Kept->Place).Take(reply.Kept->Number));
    return reply;
  }

  /// The viewer lets go of what it maps at a place.
  void LetGo(const MappedPlace& kept) const
  {
    this->Server.Slots.Mapped(kept.Place).LetGo(kept.Number);
  }

  bool IsKept(SnapshotId number)
  {
    const SnapshotTable& table = this->Server.Core.Images.Snapshots();
    return table.Find(number) && table.IsKept(number);
  }

  static constexpr std::uint64_t Size = 200 << 10;
  SimulatedServer Server;
  int Files = 0;
};

TEST_F(MappingServiceTest, AMappedSnapshotOutlastsTheRing)
{
  const SnapshotId first = this->Write();
  ASSERT_TRUE(this->Map(first).Kept);
  for (int file = 0; file < 30; ++file)
  {
    this->Write();
  }
  EXPECT_TRUE(this->IsKept(first));
  EXPECT_EQ(this->Server.InRing().front(), first);
  EXPECT_LT(this->Server.InRing().size(), 11u);
}

TEST_F(MappingServiceTest, AViewerLetsGoWithoutAMessage)
{
  const SnapshotId first = this->Write();
  const auto kept = this->Map(first).Kept;
  ASSERT_TRUE(kept);
  this->LetGo(*kept);
  this->Server.Wait(Seconds(0.1));
  EXPECT_FALSE(this->IsKept(first));
  EXPECT_EQ(this->Server.Core.Mappings.Kept(), 0u);
}

// The reply may never arrive.
TEST_F(MappingServiceTest, AnOfferThatNobodyTakesIsWithdrawn)
{
  const SnapshotId first = this->Write();
  const auto kept = this->AskToMap(first).Kept;
  ASSERT_TRUE(kept);
  this->Server.Wait(Seconds(9));
  EXPECT_TRUE(this->IsKept(first));
  this->Server.Wait(Seconds(2));
  EXPECT_FALSE(this->IsKept(first));
  EXPECT_FALSE(this->Server.Slots.Mapped(kept->Place).Take(kept->Number));
}

TEST_F(MappingServiceTest, WhatWasTakenIsNotWithdrawn)
{
  const SnapshotId first = this->Write();
  ASSERT_TRUE(this->Map(first).Kept);
  this->Server.Wait(Seconds(3600));
  EXPECT_TRUE(this->IsKept(first));
}

TEST_F(MappingServiceTest, EachProcessKeepsItForItself)
{
  this->Server.Connect("other", "viewer");
  const SnapshotId first = this->Write();
  const auto one = this->Map(first).Kept;
  const auto other = this->Map(first, "other").Kept;
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->Place, other->Place);
  this->LetGo(*one);
  this->Server.Wait(Seconds(0.1));
  EXPECT_TRUE(this->IsKept(first));
  this->LetGo(*other);
  this->Server.Wait(Seconds(0.1));
  EXPECT_FALSE(this->IsKept(first));
}

// A process that was stopped still maps the memory when it goes on.
TEST_F(MappingServiceTest, SilenceReleasesNothingAndTheEndOfTheProcessDoes)
{
  const SnapshotId first = this->Write();
  ASSERT_TRUE(this->Map(first).Kept);
  this->Server.Leave("viewer", true);
  this->Server.Wait(Seconds(1));
  EXPECT_TRUE(this->IsKept(first));
  this->Server.EndedProcesses.insert(ProcessOf("viewer"));
  this->Server.Wait(Seconds(0.1));
  EXPECT_FALSE(this->IsKept(first));
}

TEST_F(MappingServiceTest, APlaceIsUsedAgainUnderAnotherNumber)
{
  const SnapshotId first = this->Write();
  const auto one = this->Map(first).Kept;
  ASSERT_TRUE(one);
  this->LetGo(*one);
  this->Server.Wait(Seconds(0.1));
  const auto next = this->Map(this->Write()).Kept;
  ASSERT_TRUE(next);
  EXPECT_EQ(next->Place, one->Place);
  EXPECT_NE(next->Number, one->Number);
}

TEST_F(MappingServiceTest, AWriterThatWaitsHasViewersGiveBack)
{
  std::vector<MappedPlace> places;
  std::uint64_t waiting = 0;
  for (;;)
  {
    BeginImage begin;
    begin.File = fmt::format("/a{}.h5", places.size());
    waiting = this->Server.Send("writer", begin);
    this->Server.HostsWork();
    if (!this->Server.IsAnswered(waiting))
    {
      break;
    }
    ASSERT_TRUE(this->Server.Channel.Take<GiveBackSnapshots>("viewer").empty());
    ASSERT_LT(places.size(), 11u);
    const auto image = this->Server.ReplyTo<BeginImage>(waiting).Image;
    waiting = this->Server.Send("writer", ExtendImage{ image.Image, image.Key, Size });
    this->Server.HostsWork();
    if (!this->Server.IsAnswered(waiting))
    {
      break;
    }
    const auto kept = this->Map(this->Server.Seal("writer", image.Image, Size)).Kept;
    ASSERT_TRUE(kept) << places.size();
    places.push_back(*kept);
  }
  ASSERT_GE(places.size(), 5u);
  const auto asked = this->Server.Channel.Take<GiveBackSnapshots>("viewer");
  ASSERT_EQ(asked.size(), 1u);
  ASSERT_EQ(asked.front().Kept.size(), places.size());
  EXPECT_EQ(asked.front().Kept.front().Place, places.front().Place);
  EXPECT_EQ(asked.front().Kept.front().Number, places.front().Number);

  // It may have been stopped, and is not asked without end.
  this->Server.Wait(Seconds(0.5));
  EXPECT_TRUE(this->Server.Channel.Take<GiveBackSnapshots>("viewer").empty());
  this->Server.Wait(Seconds(0.6));
  EXPECT_EQ(this->Server.Channel.Take<GiveBackSnapshots>("viewer").size(), 1u);

  this->LetGo(places.front());
  this->Server.Wait(Seconds(0.1));
  this->Server.HostsWork();
  EXPECT_TRUE(this->Server.IsAnswered(waiting));
  EXPECT_EQ(this->Server.InRing().size(), places.size() - 1);
}

TEST_F(MappingServiceTest, AFileThatIsOpenedAgainIsWrittenInACopy)
{
  const SnapshotId first = this->Write();
  ASSERT_TRUE(this->Map(first).Kept);
  const SlotIndex slot = this->Server.Core.Images.Snapshots().Find(first)->Slot;
  BeginImage begin;
  begin.File = "/a1.h5";
  begin.CopyOf = first;
  const ImageDescription image = this->Server.Ask("writer", begin).Image;
  EXPECT_NE(image.Slot, slot);
  EXPECT_FALSE(this->Server.Core.Images.Snapshots().Find(first)->Shared);
}

TEST_F(MappingServiceTest, ASnapshotThatSharesAnOpenFilesBytesIsCopied)
{
  const ImageId image = this->Server.Begin("writer", "/a.h5").Image;
  const SnapshotId shown = this->Server.Flush("writer", image);
  const MappingReply reply = this->Map(shown);
  EXPECT_FALSE(reply.Kept);
  EXPECT_EQ(reply.Why, "its program writes on in the file");
}

TEST_F(MappingServiceTest, AFileOfWhichTheMemoryHasTwoIsCopied)
{
  const MappingReply reply = this->Map(this->Write(900 << 10));
  EXPECT_FALSE(reply.Kept);
  EXPECT_EQ(reply.Why, "the memory has no room for 3 such files");
}

TEST_F(MappingServiceTest, AViewerOnAnotherNodeCopies)
{
  PeerDescription elsewhere = SimulatedServer::Describe("far", "viewer");
  elsewhere.Machine = "another machine";
  this->Server.Connect("far", elsewhere);
  const MappingReply reply = this->Map(this->Write(), "far");
  EXPECT_FALSE(reply.Kept);
  EXPECT_EQ(reply.Why, "the DSM server's first host is on another node");
}

TEST_F(MappingServiceTest, AGuestMayNotMap)
{
  const std::string key = this->Server.Invite("guest", Right::Look);
  this->Server.Connect("guest", SimulatedServer::Describe("guest", "viewer"), key);
  const std::uint64_t asked =
    this->Server.Send("guest", MapSnapshot{ this->Write(), ProcessOf("guest") }, key);
  EXPECT_TRUE(this->Server.IsRefused(asked, Fault::Refused, ""));
}

TEST_F(MappingServiceTest, MoreThanTheMostAreCopied)
{
  const SnapshotId first = this->Write();
  for (std::uint64_t place = 0; place < SegmentLayout::MostMapped; ++place)
  {
    ASSERT_TRUE(this->Map(first).Kept) << place;
  }
  EXPECT_EQ(this->Map(first).Why, "viewers map 1024 snapshots, which is the most");
}

TEST_F(MappingServiceTest, ASnapshotThatHasLeftIsRefused)
{
  EXPECT_TRUE(this->Server.IsRefused(
    this->Server.Send("viewer", MapSnapshot{ 7, ProcessOf("viewer") }), Fault::Refused, "7"));
}

/// The memory keeps what nobody has read.
class MappingServiceWithBlock : public MappingServiceTest
{
protected:
  static ServerOptions Blocking()
  {
    ServerOptions options = SimulatedServer::Options();
    options.WhenFull = FullRing::Block;
    return options;
  }

  MappingServiceWithBlock()
    : MappingServiceTest(Blocking())
  {
  }
};

TEST_F(MappingServiceWithBlock, ItsMemoryIsNotKeptForViewers)
{
  const MappingReply reply = this->Map(this->Write());
  EXPECT_FALSE(reply.Kept);
  EXPECT_EQ(reply.Why, "a full memory keeps what nobody has read, and needs the room");
}

}
