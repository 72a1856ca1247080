// SPDX-License-Identifier: BSD-3-Clause
#include "ImageFixture.h"

#include "Memory/SlotEnding.h"
#include "Peer/SharedPages.h"

namespace
{

using namespace dsm;
using namespace dsm::testing;

constexpr std::uint64_t Page = AsideBytes::Page;

class SharedPagesTest : public ImageTest
{
protected:
  // What a rank of the image knows.
  struct Rank
  {
    Rank(const SharedPagesTest& test, std::shared_ptr<Connection> link)
      : Slot(test.Slot())
      , Server(std::move(link), this->Slot)
      , Shared(test.Image, this->Slot, this->Server)
    {
    }
    ImageSlot Slot;
    ImageConnection Server;
    SharedPages Shared;
  };

  void KeepAll()
  {
    this->When<KeepBytes>(
      [this](Listener& self, const RequestId& request, const KeepBytes& asked)
      {
        this->Kept.Change([&](auto& kept) { kept.push_back(asked); });
        self.Reply(request, Nothing());
      });
  }
  // On each host, so many bytes of the file's.
  void Freeze(SharedPages& shared, std::uint64_t each, const SharedPages::Lists& changing) const
  {
    shared.Freeze(AddressMap(this->Image.Map), 2 * each, changing);
  }

  Watched<std::vector<KeepBytes>> Kept;
};

TEST_F(SharedPagesTest, AsksForNothingBeforeAFlush)
{
  Rank rank(*this, this->Connect());
  EXPECT_FALSE(rank.Shared.IsShared(0, 0));
  rank.Shared.Change(0, { 0, 4096 });
  EXPECT_EQ(this->CountOf<KeepBytes>(), 0);
  EXPECT_EQ(rank.Shared.Changed(), SharedPages::Lists(2));
}

TEST_F(SharedPagesTest, HasEachPageKeptOnce)
{
  this->KeepAll();
  Rank rank(*this, this->Connect());
  this->Freeze(rank.Shared, 4 * Page, SharedPages::Lists(2));
  rank.Shared.Change(1, { Page + 10, Page + 20 });
  rank.Shared.Change(1, { Page + 100, Page + 200 });
  const auto kept = this->Kept.Get();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].Image, this->Image.Image);
  EXPECT_EQ(kept[0].Key, this->Image.Key);
  EXPECT_EQ(kept[0].Host, 1u);
  EXPECT_EQ(kept[0].Bytes, (ByteRange{ Page, 2 * Page }));
  EXPECT_EQ(rank.Shared.Changed(), (SharedPages::Lists{ {}, { { Page, 2 * Page } } }));
  // The next flush shows it again.
  this->Freeze(rank.Shared, 4 * Page, SharedPages::Lists(2));
  EXPECT_EQ(rank.Shared.Changed(), SharedPages::Lists(2));
  rank.Shared.Change(1, { Page, Page + 1 });
  EXPECT_EQ(this->CountOf<KeepBytes>(), 2);
}

TEST_F(SharedPagesTest, AsksForNothingBehindWhatAFlushHasShown)
{
  Rank rank(*this, this->Connect());
  this->Freeze(rank.Shared, 4 * Page, SharedPages::Lists(2));
  EXPECT_TRUE(rank.Shared.IsShared(0, 4 * Page - 1));
  EXPECT_FALSE(rank.Shared.IsShared(0, 4 * Page));
  rank.Shared.Change(0, { 4 * Page, 8 * Page });
  EXPECT_EQ(this->CountOf<KeepBytes>(), 0);
}

TEST_F(SharedPagesTest, AsksForNothingThatTheFlushHasCopied)
{
  Rank rank(*this, this->Connect());
  this->Freeze(rank.Shared, 4 * Page, { { { 0, Page } }, {} });
  rank.Shared.Change(0, { 8, 16 });
  EXPECT_EQ(this->CountOf<KeepBytes>(), 0);
}

TEST_F(SharedPagesTest, SharesWhatTheImageBeginsWith)
{
  this->Image.Begins = 2 * Page;
  Rank rank(*this, this->Connect());
  EXPECT_TRUE(rank.Shared.IsShared(0, Page - 1));
  EXPECT_FALSE(rank.Shared.IsShared(0, Page));
}

TEST_F(SharedPagesTest, ThrowsIfTheServerRefuses)
{
  this->When<KeepBytes>([](Listener& self, const RequestId& request, const KeepBytes&)
    { self.Refuse(request, Error(Fault::RingFull, "no room")); });
  Rank rank(*this, this->Connect());
  rank.Server.AllowLoss();
  this->Freeze(rank.Shared, Page, SharedPages::Lists(2));
  TextOf(Fault::RingFull, [&] { rank.Shared.Change(0, { 0, 8 }); });
  EXPECT_TRUE(rank.Shared.IsShared(0, 0));
}

TEST_F(SharedPagesTest, TellsReadersOnceNobodyKeepsPages)
{
  HaveLittlePatience();
  Rank rank(*this, this->Connect());
  this->Freeze(rank.Shared, Page, SharedPages::Lists(2));
  this->Listening.reset();
  TextOf(Fault::NoServer, [&] { rank.Shared.Change(0, { 0, 8 }); });
  EXPECT_FALSE(this->Board().Ending(SlotNumber).IsAlone(Generation));
  rank.Server.AllowLoss();
  rank.Shared.Change(0, { 0, 8 });
  EXPECT_TRUE(this->Board().Ending(SlotNumber).IsAlone(Generation));
  EXPECT_TRUE(rank.Server.IsLost());
  EXPECT_FALSE(rank.Shared.IsShared(0, 0));
  EXPECT_FALSE(rank.Shared.IsShared(1, 0));
}

TEST_F(SharedPagesTest, JoinsWhatRanksHaveChanged)
{
  EXPECT_EQ(
    SharedPages::Union({ { { { 0, 8 } }, {} }, { { { 8, 16 }, { 32, 40 } }, { { 0, 4 } } } }),
    (SharedPages::Lists{ { { 0, 16 }, { 32, 40 } }, { { 0, 4 } } }));
  // A message has room for so many.
  SharedPages::Lists many(1);
  for (std::uint64_t i = 0; i < 3000; ++i)
  {
    many[0].push_back({ 16 * i, 16 * i + 8 });
  }
  EXPECT_EQ(SharedPages::Union({ many })[0].size(), 2000u);
}

}
