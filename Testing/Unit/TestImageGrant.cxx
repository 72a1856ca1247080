// SPDX-License-Identifier: BSD-3-Clause
#include "SlotFixture.h"

#include "Peer/ImageGrant.h"

#include <thread>

namespace
{

using namespace dsm;
using namespace dsm::testing;

class ImageGrantTest : public ImageTest
{
protected:
  // What a rank of the image knows.
  struct Rank
  {
    Rank(const ImageGrantTest& test, std::shared_ptr<Connection> link, int number)
      : Slot(test.Slot())
      , Server(std::move(link), this->Slot)
      , Grant(test.Image, this->Slot, this->Server, number)
    {
    }
    ImageSlot Slot;
    ImageConnection Server;
    ImageGrant Grant;
  };

  // Grants what is asked for.
  void GrantAll(DiskShare disk = {})
  {
    this->When<ExtendImage>(
      [disk](Listener& self, const RequestId& request, const ExtendImage& asked)
      { self.Reply(request, Extension{ asked.Bytes, disk }); });
  }

  // Waits until ranks say in memory that they want so much.
  void AwaitWanted(std::uint64_t bytes) const
  {
    const Deadline deadline(LongWait);
    while (this->Board().Wanted(SlotNumber, Generation) != bytes && !deadline.Expired())
    {
      std::this_thread::yield();
    }
    ASSERT_EQ(this->Board().Wanted(SlotNumber, Generation), bytes);
  }
};

TEST_F(ImageGrantTest, AsksNobodyForWhatIsGranted)
{
  Rank rank(*this, this->Connect(), 0);
  EXPECT_TRUE(rank.Grant.Holds(16384));
  EXPECT_FALSE(rank.Grant.Holds(16385));
  rank.Grant.Require(16384);
  EXPECT_EQ(this->CountOf<ExtendImage>(), 0);
}

TEST_F(ImageGrantTest, TakesWhatAnotherRankHasGot)
{
  Rank rank(*this, this->Connect(), 0);
  this->Board().TellGrant(SlotNumber, 65536, {});
  rank.Grant.Require(40000);
  EXPECT_TRUE(rank.Grant.Holds(65536));
  EXPECT_EQ(this->CountOf<ExtendImage>(), 0);
}

TEST_F(ImageGrantTest, AsksTheServerOnRankZero)
{
  this->GrantAll();
  Rank rank(*this, this->Connect(), 0);
  rank.Grant.Require(40000);
  EXPECT_TRUE(rank.Grant.Holds(40000));
  EXPECT_FALSE(rank.Grant.Holds(40001));
  EXPECT_EQ(this->CountOf<ExtendImage>(), 1);
}

TEST_F(ImageGrantTest, PassesTheServersRefusalOn)
{
  this->When<ExtendImage>([](Listener& self, const RequestId& request, const ExtendImage&)
    { self.Refuse(request, Error(Fault::RingFull, "no room")); });
  Rank rank(*this, this->Connect(), 0);
  rank.Server.AllowLoss();
  EXPECT_TRUE(Contains(TextOf(Fault::RingFull, [&] { rank.Grant.Require(40000); }), "no room"));
  EXPECT_FALSE(rank.Grant.Holds(40000));
  EXPECT_FALSE(rank.Server.IsLost());
}

TEST_F(ImageGrantTest, AsksInMemoryOnOtherRanks)
{
  Rank rank(*this, this->Connect(), 1);
  std::thread asking([&] { rank.Grant.Require(40960); });
  this->AwaitWanted(40960);
  this->Board().TellGrant(SlotNumber, 49152, {});
  this->Board().RingAnswers();
  asking.join();
  EXPECT_TRUE(rank.Grant.Holds(49152));
  EXPECT_EQ(this->CountOf<ExtendImage>(), 0);
}

TEST_F(ImageGrantTest, ThrowsWhatIsRefusedInMemory)
{
  Rank rank(*this, this->Connect(), 1);
  std::string text;
  std::thread asking([&] { text = TextOf(Fault::RingFull, [&] { rank.Grant.Require(40960); }); });
  this->AwaitWanted(40960);
  this->Board().TellRefusal(
    SlotNumber, Generation, 40960, Error(Fault::RingFull, "no room"), FileName);
  this->Board().RingAnswers();
  asking.join();
  EXPECT_TRUE(Contains(text, "no room")) << text;
}

TEST_F(ImageGrantTest, AsksTheServerIfNobodyLooksAtItsMemory)
{
  HaveLittlePatience();
  this->GrantAll();
  Rank rank(*this, this->Connect(), 1);
  rank.Grant.Require(40960);
  EXPECT_EQ(this->CountOf<ExtendImage>(), 1);
}

TEST_F(ImageGrantTest, RefusesMoreThanTheHostsHave)
{
  Rank rank(*this, this->Connect(), 0);
  EXPECT_EQ(rank.Grant.Capacity(), 2 * SlotSize);
  const std::string text = TextOf(Fault::RingFull, [&] { rank.Grant.Require(2 * SlotSize + 1); });
  EXPECT_TRUE(Contains(text, FileName)) << text;
  EXPECT_TRUE(Contains(text, rank.Grant.AdviceForMore())) << text;
  EXPECT_EQ(this->CountOf<ExtendImage>(), 0);
}

TEST_F(ImageGrantTest, FollowsTheFileToDisk)
{
  this->Image.DiskCapacity = 8 * SlotSize;
  const DiskShare disk{ 2 * SlotSize, SlotCount * SlotSize, 8 * SlotSize };
  this->GrantAll(disk);
  const auto server = this->Connect();
  Rank first(*this, server, 0);
  Rank other(*this, server, 1);
  EXPECT_EQ(first.Grant.Capacity(), 18 * SlotSize);
  EXPECT_FALSE(first.Grant.NeedsDisk(2 * SlotSize));
  EXPECT_TRUE(first.Grant.NeedsDisk(2 * SlotSize + 1));
  const Location before = first.Grant.Map().Locate(5000);
  first.Grant.RequirePlaces(2 * SlotSize + 1);
  EXPECT_TRUE(first.Grant.Map().ReachesDisk());
  EXPECT_EQ(first.Grant.Capacity(), 18 * SlotSize) << "as known when the image began";
  EXPECT_EQ(first.Grant.Map().Locate(5000).Host, before.Host);
  EXPECT_EQ(first.Grant.Map().Locate(5000).Offset, before.Offset);
  EXPECT_GE(first.Grant.Map().Locate(FileOffset(2 * SlotSize)).Offset, SlotCount * SlotSize);
  // The other rank reads in memory where that is.
  other.Grant.Follow();
  EXPECT_FALSE(other.Grant.Map().ReachesDisk());
  this->Board().TellGrant(SlotNumber, 2 * SlotSize + 1, disk);
  other.Grant.Follow(16384);
  EXPECT_FALSE(other.Grant.Map().ReachesDisk()) << "what it was granted is in memory";
  other.Grant.Follow(16385);
  EXPECT_TRUE(other.Grant.Map().ReachesDisk());
  EXPECT_FALSE(other.Grant.Holds(16385));
}

TEST_F(ImageGrantTest, SaysHowFarAFileHasComeThatNobodyForesaw)
{
  constexpr std::uint64_t large = UINT64_C(48) << 20;
  this->Image.Map.HostCapacity = this->Image.Grant = large;
  const auto reached = [&] { return this->Board().Reached(SlotNumber, Generation); };
  this->Image.Foreseen = true;
  const auto server = this->Connect();
  Rank(*this, server, 0).Grant.Require(large);
  EXPECT_EQ(reached(), 0u);
  this->Image.Foreseen = false;
  Rank rank(*this, server, 0);
  rank.Grant.Require(UINT64_C(32) << 20);
  EXPECT_EQ(reached(), 0u);
  rank.Grant.Require(UINT64_C(40) << 20);
  EXPECT_EQ(reached(), UINT64_C(40) << 20);
  rank.Grant.Require(UINT64_C(44) << 20);
  EXPECT_EQ(reached(), UINT64_C(40) << 20) << "too little since";
  rank.Grant.Require(large);
  EXPECT_EQ(reached(), UINT64_C(40) << 20);
}

TEST_F(ImageGrantTest, GrowsAloneOnceItsServerIsLost)
{
  HaveLittlePatience();
  Rank rank(*this, this->Connect(), 0);
  this->Listening.reset();
  TextOf(Fault::NoServer, [&] { rank.Grant.Require(40000); });
  rank.Server.AllowLoss();
  rank.Grant.Require(40000);
  EXPECT_TRUE(rank.Server.IsLost());
  // By more than was asked for: all that there is.
  EXPECT_TRUE(rank.Grant.Holds(2 * SlotSize));
  ASSERT_EQ(this->Route->Reserved.size(), 2u);
  for (HostIndex host = 0; host < 2; ++host)
  {
    EXPECT_EQ(this->Route->Reserved[host].first, host);
    EXPECT_EQ(this->Route->Reserved[host].second.Begin, SlotNumber * SlotSize + 8192);
    EXPECT_EQ(this->Route->Reserved[host].second.End, (SlotNumber + 1) * SlotSize);
  }
}

TEST_F(ImageGrantTest, DoesNotGrowAloneIfItsSlotIsAnothers)
{
  HaveLittlePatience();
  Rank rank(*this, this->Connect(), 0);
  rank.Server.AllowLoss();
  this->Listening.reset();
  this->RaiseGeneration(1, Generation + 1);
  TextOf(Fault::PeerLost, [&] { rank.Grant.Require(40000); });
  EXPECT_TRUE(this->Route->Reserved.empty());
}

TEST_F(ImageGrantTest, DoesNotGrowAloneIfAHostIsNotMapped)
{
  HaveLittlePatience();
  this->Route->IsMapped[1] = false;
  Rank rank(*this, this->Connect(), 0);
  rank.Server.AllowLoss();
  this->Listening.reset();
  TextOf(Fault::NoServer, [&] { rank.Grant.Require(40000); });
  EXPECT_FALSE(rank.Server.IsLost());
}

TEST_F(ImageGrantTest, DoesNotGoToDiskAlone)
{
  HaveLittlePatience();
  this->Image.DiskCapacity = 8 * SlotSize;
  Rank rank(*this, this->Connect(), 0);
  rank.Server.AllowLoss();
  this->Listening.reset();
  const std::string text = TextOf(Fault::RingFull, [&] { rank.Grant.Require(2 * SlotSize + 1); });
  EXPECT_TRUE(Contains(text, "its server is lost")) << text;
}

}
