// SPDX-License-Identifier: BSD-3-Clause
#include "ImageFixture.h"

#include <thread>

namespace
{

using namespace dsm;
using namespace dsm::testing;

class ImageSlotTest : public ImageTest
{
};

TEST_F(ImageSlotTest, CountsFromTheBeginningOfTheSlot)
{
  const ImageSlot slot = this->Slot();
  EXPECT_EQ(slot.Begin(), SlotNumber * SlotSize);
  const std::uint64_t written = 42;
  slot.Put(1, 64, &written, sizeof written);
  std::uint64_t read = 0;
  std::memcpy(&read, this->At(1, 64), sizeof read);
  EXPECT_EQ(read, written);
  read = 0;
  slot.Get(1, 64, &read, sizeof read);
  EXPECT_EQ(read, written);
  EXPECT_EQ(slot.Direct(0, 8), this->At(0, 8));
  slot.Reserve(1, 4096, 100);
  ASSERT_EQ(this->Route->Reserved.size(), 1u);
  EXPECT_EQ(this->Route->Reserved[0].first, 1u);
  EXPECT_EQ(this->Route->Reserved[0].second.Begin, SlotNumber * SlotSize + 4096);
}

TEST_F(ImageSlotTest, IsMappedOnlyIfEveryHostIs)
{
  EXPECT_TRUE(this->Slot().IsMapped());
  this->Route->IsMapped[1] = false;
  EXPECT_FALSE(this->Slot().IsMapped());
  EXPECT_TRUE(this->Slot().IsMapped(0));
  EXPECT_FALSE(this->Slot().IsMapped(1));
}

TEST_F(ImageSlotTest, ThrowsOnceTheSlotIsAnothers)
{
  const ImageSlot slot = this->Slot();
  EXPECT_NO_THROW(slot.RequireKept());
  this->RaiseGeneration(1, Generation + 1);
  EXPECT_NO_THROW(slot.RequireKept(0, true));
  const std::string text = TextOf(Fault::PeerLost, [&] { slot.RequireKept(1, false); });
  EXPECT_TRUE(Contains(text, FileName)) << text;
  TextOf(Fault::PeerLost, [&] { slot.RequireKept(); });
}

TEST_F(ImageSlotTest, AsksAHostThatIsNotMappedOnlyAfterAbsence)
{
  this->Route->IsMapped[1] = false;
  const ImageSlot slot = this->Slot();
  this->RaiseGeneration(1, Generation + 1);
  EXPECT_NO_THROW(slot.RequireKept(1, false));
  TextOf(Fault::PeerLost, [&] { slot.RequireKept(1, true); });
  TextOf(Fault::PeerLost, [&] { slot.RequireKept(); });
}

TEST_F(ImageSlotTest, NoticesThatTheProcessWasAway)
{
  ImageSlot patient = this->Slot();
  EXPECT_FALSE(patient.WasAway());
  const ShortPeerTimeout timeout("0.05");
  ImageSlot slot = this->Slot();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(slot.WasAway());
  EXPECT_FALSE(patient.WasAway());
}

TEST_F(ImageSlotTest, FindsItsNumberInATableOfTheFirstHost)
{
  const auto number = this->Slot().Number(&SegmentLayout::Generations);
  ASSERT_TRUE(number);
  EXPECT_EQ(number->Load(), Generation);
  this->Route->IsMapped[0] = false;
  EXPECT_FALSE(this->Slot().Number(&SegmentLayout::Generations));
}

}
