// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/GrowthService.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;
using dsm::testing::Texts;

constexpr std::uint64_t KiB = UINT64_C(1) << 10;
constexpr std::uint64_t MiB = UINT64_C(1) << 20;

class GrowthServiceTest : public ::testing::Test
{
protected:
  GrowthServiceTest() { this->Server.Connect("writer", "writer"); }

  void Want(const ImageDescription& image, std::uint64_t bytes)
  {
    this->Server.Slots.Wants[{ image.Slot, image.Generation }] = bytes;
    this->Look();
  }
  void Reach(const ImageDescription& image, std::uint64_t bytes)
  {
    this->Server.Slots.Reaches[{ image.Slot, image.Generation }] = bytes;
    this->Look();
  }
  bool Look()
  {
    return this->Server.Core.Router.Do([&] { return this->Server.Core.LookInMemory(); });
  }
  std::uint64_t Told(const ImageDescription& image)
  {
    return this->Server.Slots.Grants.at(image.Slot);
  }

  SimulatedServer Server;
};

// ---- By message.

TEST_F(GrowthServiceTest, GrantsWhatARankAsksForWhenTheHostsHaveIt)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  const std::uint64_t request =
    this->Server.Send("writer", ExtendImage{ image.Image, image.Key, image.Grant + KiB });
  EXPECT_FALSE(this->Server.IsAnswered(request));
  this->Server.HostsWork();
  const std::uint64_t grant = this->Server.ReplyTo<ExtendImage>(request).Grant;
  EXPECT_GT(grant, image.Grant);
  EXPECT_EQ(this->Told(image), grant);
}

TEST_F(GrowthServiceTest, AnswersAtOnceWhatIsGrantedAlready)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  const std::uint64_t request =
    this->Server.Send("writer", ExtendImage{ image.Image, image.Key, KiB });
  EXPECT_EQ(this->Server.ReplyTo<ExtendImage>(request).Grant, image.Grant);
}

TEST_F(GrowthServiceTest, AnyRankWithTheKeyMayAskAndNoOther)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  this->Server.Connect("rank 3", "writer");
  EXPECT_NO_THROW(
    this->Server.Ask("rank 3", ExtendImage{ image.Image, image.Key, image.Grant + KiB }));
  const std::uint64_t guessed =
    this->Server.Send("rank 3", ExtendImage{ image.Image, image.Key + 1, KiB });
  EXPECT_THROW(this->Server.ReplyTo<ExtendImage>(guessed), Error);
}

TEST_F(GrowthServiceTest, RefusesWhatAllHostsCannotHold)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  const std::uint64_t request =
    this->Server.Send("writer", ExtendImage{ image.Image, image.Key, 3 * MiB });
  EXPECT_TRUE(this->Server.IsRefused(request, Fault::RingFull,
    "the file /a.h5 needs at least 3 MiB, but the 2 hosts share 1 MiB each"));
  EXPECT_EQ(this->Server.Slots.Refusals.count(image.Slot), 0u) << "only those that wait are told";
}

TEST_F(GrowthServiceTest, RefusesIfTheHostsCannotAndTakesTheGrantBack)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  const std::uint64_t request =
    this->Server.Send("writer", ExtendImage{ image.Image, image.Key, image.Grant + KiB });
  this->Server.HostsWork("no memory is left");
  EXPECT_TRUE(this->Server.IsRefused(request, Fault::System, "no memory is left"));
  EXPECT_EQ(this->Server.Slots.Refusals.at(image.Slot), "no memory is left");
  EXPECT_EQ(this->Server.Core.Images.Image(image.Image).Grant, image.Grant);
}

TEST_F(GrowthServiceTest, AnswersNobodyWhoHasLeft)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  this->Server.Connect("rank 3", "writer");
  const std::uint64_t request =
    this->Server.Send("rank 3", ExtendImage{ image.Image, image.Key, image.Grant + KiB });
  this->Server.Core.Router.Do([&] { this->Server.Core.PeerLeft("rank 3", true); });
  this->Server.HostsWork();
  EXPECT_FALSE(this->Server.IsAnswered(request));
  EXPECT_GT(this->Told(image), image.Grant) << "other ranks have it";
}

TEST_F(GrowthServiceTest, WaitsForAHostThatIsAway)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  const std::uint64_t request =
    this->Server.Send("writer", ExtendImage{ image.Image, image.Key, image.Grant + KiB });
  this->Server.Leave(SimulatedServer::HostPeer(1), true);
  EXPECT_FALSE(this->Server.IsAnswered(request)) << "what is written is worth waiting for";
  this->Server.ConnectHost(1, "host 1 again");
  EXPECT_GT(this->Server.ReplyTo<ExtendImage>(request).Grant, image.Grant);
}

TEST_F(GrowthServiceTest, RefusesAsLostIfTheHostStaysAway)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  const std::uint64_t request =
    this->Server.Send("writer", ExtendImage{ image.Image, image.Key, image.Grant + KiB });
  this->Server.Leave(SimulatedServer::HostPeer(1), true);
  this->Server.Wait(Seconds(5));
  EXPECT_TRUE(this->Server.IsRefused(request, Fault::PeerLost, "waited 5 s for it to be back"));
}

TEST_F(GrowthServiceTest, TellsAWriterOfNewSettingsBeforeTheAnswer)
{
  const auto image = this->Server.Begin("writer", "/a.h5");
  ServerOptions options = this->Server.Core.State.Options;
  options.FullRingLimit = Seconds(9);
  this->Server.Core.Router.Do(
    [&] { this->Server.Core.Settings.Adjust(options, this->Server.Core.State.Description); });
  this->Server.Ask("writer", ExtendImage{ image.Image, image.Key, image.Grant + KiB });
  const auto told = this->Server.Channel.Take<ServerChanged>("writer");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told.front().FullRingLimit, 9);
}

// ---- In host 0's memory.

TEST_F(GrowthServiceTest, GrantsWhatRanksWantInMemory)
{
  const auto image = this->Server.Begin("writer", "/a.h5", 2);
  EXPECT_TRUE(this->Look()) << "its ranks may want something";
  this->Want(image, image.Grant + KiB);
  EXPECT_GT(this->Server.HostsWork(), 0u);
  EXPECT_GT(this->Told(image), image.Grant);
  const auto events = this->Server.Channel.Events.size();
  this->Look();
  EXPECT_EQ(this->Server.Channel.Events.size(), events) << "it is asked for once";
}

TEST_F(GrowthServiceTest, LooksOnlyForImagesOfSeveralRanks)
{
  const auto image = this->Server.Begin("writer", "/a.h5", 1);
  EXPECT_FALSE(this->Look());
  this->Want(image, image.Grant + KiB);
  EXPECT_EQ(this->Server.HostsWork(), 0u);
}

TEST_F(GrowthServiceTest, EndsToLookWhenTheImageEnds)
{
  const auto image = this->Server.Begin("writer", "/a.h5", 2);
  this->Server.Seal("writer", image.Image);
  EXPECT_FALSE(this->Look());
}

TEST_F(GrowthServiceTest, RefusesInMemoryWhatCannotBeGrantedAndGrantsLessAfterwards)
{
  this->Server.Begin("writer", "/other.h5"); // so that the image is not alone
  const auto image = this->Server.Begin("writer", "/a.h5", 2);
  this->Want(image, image.Grant + 64 * KiB);
  this->Server.HostsWork("no memory is left");
  EXPECT_EQ(this->Server.Slots.Refusals.at(image.Slot), "no memory is left");
  this->Want(image, image.Grant + KiB);
  this->Server.HostsWork();
  EXPECT_GT(this->Told(image), image.Grant) << "others may want less";
}

// Ranks ask for whole pages, and the map may end within the last.
TEST_F(GrowthServiceTest, GrantsInMemoryNoMoreThanTheMapHas)
{
  const auto image = this->Server.Begin("writer", "/a.h5", 2);
  this->Want(image, 5 * MiB);
  this->Server.HostsWork();
  EXPECT_EQ(this->Told(image), 2 * MiB);
  EXPECT_FALSE(this->Server.Slots.Refusals.contains(image.Slot));
}

TEST_F(GrowthServiceTest, RefusesInMemoryAtOnceWhatTheImageAloneCannotHave)
{
  ServerOptions options = this->Server.Core.State.Options;
  const auto image = this->Server.Begin("writer", "/a.h5", 2);
  options.MemoryPerHost = MiB / 2;
  options.Map.BlockSize = 4 * KiB;
  this->Server.Core.Router.Do(
    [&] { this->Server.Core.Settings.Adjust(options, this->Server.Core.State.Description); });
  this->Want(image, 2 * MiB);
  EXPECT_EQ(
    this->Server.Slots.Refusals.at(image.Slot).find("the file /a.h5 needs at least 2 MiB"), 0u)
    << this->Server.Slots.Refusals.at(image.Slot);
}

TEST_F(GrowthServiceTest, AnswersChannelAndMemoryAlike)
{
  const auto image = this->Server.Begin("writer", "/a.h5", 2);
  const std::uint64_t request =
    this->Server.Send("writer", ExtendImage{ image.Image, image.Key, image.Grant + KiB });
  this->Want(image, image.Grant + KiB);
  this->Server.HostsWork();
  EXPECT_EQ(this->Told(image), this->Server.Core.Images.Image(image.Image).Reserved);
  EXPECT_GE(this->Told(image), this->Server.ReplyTo<ExtendImage>(request).Grant);
}

TEST_F(GrowthServiceTest, GrowsAheadOfRanksThatComeNearTheEnd)
{
  const auto image = this->Server.Begin("writer", "/a.h5", 2);
  this->Reach(image, image.Grant);
  EXPECT_EQ(this->Server.HostsWork(), 0u) << "it has just begun, and its writers want the cores";
  this->Server.Wait(Seconds(0.6));
  this->Reach(image, image.Grant / 4);
  EXPECT_EQ(this->Told(image), image.Grant) << "there is enough";
  this->Reach(image, image.Grant - 1);
  this->Server.HostsWork();
  EXPECT_GT(this->Told(image), image.Grant);
}

TEST_F(GrowthServiceTest, KeepsTheGrantIfHostsCannotGrowAhead)
{
  const auto image = this->Server.Begin("writer", "/a.h5", 2);
  this->Server.Wait(Seconds(0.6));
  this->Reach(image, image.Grant);
  this->Server.HostsWork("no memory is left");
  EXPECT_EQ(this->Told(image), image.Grant);
  EXPECT_EQ(this->Server.Core.Images.Image(image.Image).Grant, image.Grant);
  EXPECT_FALSE(this->Server.Slots.Refusals.contains(image.Slot)) << "nobody waits";
}

TEST_F(GrowthServiceTest, ContinuesOnDiskIfMemoryIsFullAndTheRuleAllows)
{
  SimulatedServer::Setup setup;
  setup.DiskSize = DiskWindows::Count * 64 * MiB;
  setup.Options.AlsoOnDisk = "all";
  SimulatedServer server(std::move(setup));
  server.Core.Router.Do([&] { server.Core.Storage.OfferDisk(true); });
  server.Connect("writer", "writer");
  const auto image = server.Begin("writer", "/scratch/a.h5");
  EXPECT_EQ(image.DiskCapacity, 64 * MiB);
  const Extension extension = server.Ask("writer", ExtendImage{ image.Image, image.Key, 4 * MiB });
  EXPECT_GE(extension.Grant, 4 * MiB);
  EXPECT_GT(extension.Disk.From, 0u);
  EXPECT_EQ(server.Slots.Disks.at(image.Slot).From, extension.Disk.From);
  EXPECT_GT(server.Status().OutgrownBytes, 0u);
}

}
