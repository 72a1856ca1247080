// SPDX-License-Identifier: BSD-3-Clause
#include "SlotFixture.h"

#include "Peer/ImageClaim.h"

namespace
{

using namespace dsm;
using namespace dsm::testing;

class ImageClaimTest : public ImageTest
{
protected:
  ImageClaimTest()
  {
    this->When<DiscardImage>([this](Listener&, const RequestId&, const DiscardImage& discarded)
      { this->Discarded.Change([&](auto& all) { all.push_back(discarded); }); });
  }

  // A connection with a channel: without one, nobody is notified.
  std::shared_ptr<Connection> Open()
  {
    auto link = this->Connect();
    link->Control(Deadline(LongWait));
    return link;
  }

  // Claims an image and gives it back.
  static void Return(ImageId image, int rank, const std::shared_ptr<Connection>& link)
  {
    const ImageClaim claim(image, rank, link);
  }

  bool AwaitDiscards(std::size_t number)
  {
    return this->Discarded.WaitFor([&](auto& all) { return all.size() == number; });
  }

  Watched<std::vector<DiscardImage>> Discarded;
};

TEST_F(ImageClaimTest, DiscardsAnImageThatHasNotEnded)
{
  const auto link = this->Open();
  Return(5, 0, link);
  ASSERT_TRUE(this->AwaitDiscards(1));
  EXPECT_EQ(this->Discarded.Get()[0].Image, 5u);
}

TEST_F(ImageClaimTest, DiscardsAnImageOnceAndSaysWhy)
{
  const auto link = this->Open();
  {
    ImageClaim claim(5, 0, link);
    claim.Discard("half a file is none");
  }
  Return(6, 0, link); // notifications arrive in their order
  ASSERT_TRUE(this->AwaitDiscards(2));
  EXPECT_EQ(this->Discarded.Get()[0].Why, "half a file is none");
  EXPECT_EQ(this->Discarded.Get()[1].Image, 6u);
}

TEST_F(ImageClaimTest, LeavesAnImageThatHasEnded)
{
  const auto link = this->Open();
  {
    ImageClaim claim(5, 0, link);
    claim.End();
  }
  Return(6, 0, link);
  ASSERT_TRUE(this->AwaitDiscards(1));
  EXPECT_EQ(this->Discarded.Get()[0].Image, 6u);
}

TEST_F(ImageClaimTest, LeavesDiscardingToRankZero)
{
  const auto link = this->Open();
  Return(5, 1, link);
  Return(6, 0, link);
  ASSERT_TRUE(this->AwaitDiscards(1));
  EXPECT_EQ(this->Discarded.Get()[0].Image, 6u);
}

TEST_F(ImageClaimTest, IsNothingWithoutAConnection)
{
  ImageClaim claim(5, 0, nullptr);
  EXPECT_NO_THROW(claim.Discard("nobody is there"));
}

}
