// SPDX-License-Identifier: BSD-3-Clause
#include "ImageFixture.h"

#include "Base/Error.h"
#include "Server/Core/GrantExtender.h"

namespace
{

using namespace dsm;

class GrantExtenderTest : public ImageFixture
{
protected:
  /// The grant in MiB; 0: none.
  static std::uint64_t GrantOf(const std::optional<GrantExtender::Extended>& extended)
  {
    return extended ? extended->Grant / MiB : 0;
  }

  GrantExtender Extender{ this->State, this->Evictions };
};

TEST_F(GrantExtenderTest, AnImageGetsAPieceMoreThanItAsksFor)
{
  struct Case
  {
    std::uint64_t Lent;  ///< MiB
    std::uint64_t Has;   ///< MiB
    std::uint64_t Asked; ///< MiB
    std::uint64_t Grant;
    std::uint64_t Target;
    const char* Why;
  };
  for (const Case& one : {
         Case{ 1000, 20, 20, 20, 0, "it has that" },
         Case{ 1000, 20, 21, 37, 40, "twice what it had, a piece at once" },
         Case{ 1000, 20, 90, 90, 90, "it asks for more than that" },
         Case{ 100, 40, 60, 76, 80, "twice what it had leaves half to others" },
         Case{ 100, 40, 70, 80, 80, "likewise" },
         Case{ 100, 40, 80, 80, 80, "likewise" },
         Case{ 100, 60, 80, 90, 90, "half of what is left" },
         Case{ 8000, 3000, 3001, 3017, 4025, "a GiB more at most" },
       })
  {
    this->Restart(Ring({ 1, one.Lent * MiB, 16 }));
    const ImageId number = this->AddImage("a.h5", one.Has);
    this->State.Images.At(number).WriterWaits = false;
    const auto extended = this->Extender.Extend(number, one.Asked * MiB);
    const OpenImage& image = this->State.Images.At(number);
    EXPECT_EQ(GrantOf(extended), one.Grant) << one.Why;
    EXPECT_EQ(image.Grant, one.Grant * MiB) << one.Why;
    EXPECT_EQ(image.GrowthTarget, one.Target * MiB) << one.Why;
    EXPECT_EQ(image.WriterWaits, one.Target > 0);
    EXPECT_EQ(extended->BeforeWriting.Plan.Reserve.IsEmpty(), one.Target == 0);
    EXPECT_EQ(this->Used(), one.Grant) << one.Why;
  }
}

TEST_F(GrantExtenderTest, GrowthEvictsWaitsOrIsRefused)
{
  struct Case
  {
    FullRing WhenFull;
    std::uint64_t Asked; ///< MiB
    bool IsAlone;
    const char* Outcome; ///< what is left in the ring, "wait" or "refused"
  };
  for (const Case& one : {
         Case{ FullRing::DropOldest, 10, true, "1 2 3" },
         Case{ FullRing::DropOldest, 11, true, "2 3" },
         Case{ FullRing::DropOldest, 100, true, "" },
         Case{ FullRing::DropOldest, 101, true, "refused" },
         Case{ FullRing::DropOldest, 101, false, "wait" },
         Case{ FullRing::Block, 11, true, "wait" },
         Case{ FullRing::DropNewest, 11, true, "1 2" },
       })
  {
    this->Restart(Ring({ 1, 100 * MiB, 16 }));
    this->SetPolicy(one.WhenFull);
    this->Fill();
    const ImageId image = this->AddImage("b.h5", 1);
    if (!one.IsAlone)
    {
      this->AddImage("c.h5", 0);
    }
    std::string outcome;
    try
    {
      outcome = this->Extender.Extend(image, one.Asked * MiB) ? this->InRing() : "wait";
    }
    catch (const Error& error)
    {
      EXPECT_EQ(error.GetFault(), Fault::RingFull);
      outcome = "refused";
    }
    EXPECT_EQ(outcome, one.Outcome) << FullRingName(one.WhenFull) << " " << one.Asked;
  }
}

TEST_F(GrantExtenderTest, PiecesFollowUpToTheTarget)
{
  const ImageId image = this->AddImage("a.h5", 30);
  EXPECT_EQ(GrantOf(this->Extender.ExtendFurther(image)), 0u) << "it has not asked";
  this->State.Images.At(image).GrowthTarget = 60 * MiB;
  const auto piece = this->Extender.ExtendFurther(image);
  EXPECT_EQ(GrantOf(piece), 46u);
  const CleaningPlan& plan = piece->BeforeWriting.Plan;
  EXPECT_TRUE(plan.InWriting);
  EXPECT_EQ(plan.Populate.End, plan.Reserve.End) << "hosts touch the pages, not the writer";
  EXPECT_FALSE(plan.Populate.IsEmpty());
  EXPECT_EQ(GrantOf(this->Extender.ExtendFurther(image)), 60u);
  EXPECT_EQ(GrantOf(this->Extender.ExtendFurther(image)), 0u);
  EXPECT_EQ(GrantOf(this->Extender.ExtendFurther(99)), 0u);
}

TEST_F(GrantExtenderTest, PiecesTakeNothingFromOthers)
{
  const ImageId image = this->AddImage("a.h5", 30);
  this->AddSnapshot("b.h5", 60);
  this->State.Images.At(image).GrowthTarget = 60 * MiB;
  EXPECT_FALSE(this->Extender.ExtendFurther(image));
  EXPECT_EQ(this->State.Images.At(image).GrowthTarget, 30 * MiB) << "it is not tried again";
  EXPECT_EQ(this->InRing(), "1");
}

TEST_F(GrantExtenderTest, AnImageIsExtendedAheadWhenItsWriterHasUsedMost)
{
  struct Case
  {
    std::uint64_t Reserved; ///< MiB of 80
    std::uint64_t Target;
    std::uint64_t Reached;
    std::uint64_t Others;
    std::uint64_t Grant; ///< 0: none
    const char* Why;
  };
  for (const Case& one : {
         Case{ 80, 80, 59, 0, 0, "less than three quarters" },
         Case{ 80, 80, 60, 0, 96, "three quarters" },
         Case{ 79, 80, 60, 0, 0, "it is being extended" },
         Case{ 80, 81, 60, 0, 0, "likewise" },
         Case{ 80, 80, 60, 100, 90, "half of what is left" },
         Case{ 80, 80, 60, 120, 0, "there is no room" },
       })
  {
    this->Restart(Ring({ 1, 200 * MiB, 16 }));
    const ImageId number = this->AddImage("a.h5", 80);
    if (one.Others > 0)
    {
      this->AddSnapshot("b.h5", one.Others);
    }
    OpenImage& image = this->State.Images.At(number);
    image.Reserved = one.Reserved * MiB;
    image.GrowthTarget = one.Target * MiB;
    const auto extended = this->Extender.ExtendAhead(number, one.Reached * MiB);
    EXPECT_EQ(GrantOf(extended), one.Grant) << one.Why;
    EXPECT_EQ(image.WriterWaits, one.Grant == 0) << one.Why;
    EXPECT_FALSE(extended && extended->BeforeWriting.Plan.InWriting) << one.Why;
  }
  EXPECT_FALSE(this->Extender.ExtendAhead(99, 0));
}

TEST_F(GrantExtenderTest, AGrantCountsWhenItsMemoryIsReserved)
{
  const ImageId number = this->AddImage("a.h5", 20);
  const OpenImage& image = this->State.Images.At(number);
  this->Extender.Extend(number, 60 * MiB);
  EXPECT_TRUE(this->Extender.Confirm(number, 40 * MiB));
  EXPECT_EQ(image.Reserved, 40 * MiB);
  EXPECT_TRUE(this->Extender.Confirm(number, 30 * MiB));
  EXPECT_EQ(image.Reserved, 40 * MiB) << "the larger of both";
  this->Extender.Withdraw(number);
  EXPECT_EQ(image.Grant, 40 * MiB);
  EXPECT_EQ(image.GrowthTarget, 40 * MiB);
  EXPECT_EQ(this->Used(), 40u);
  EXPECT_FALSE(this->Extender.Confirm(number, 60 * MiB)) << "it was withdrawn";
  EXPECT_FALSE(this->Extender.Confirm(99, 0));
  EXPECT_NO_THROW(this->Extender.Withdraw(99));
  EXPECT_THROW(this->Extender.Extend(99, 1), Error);
}

TEST_F(GrantExtenderTest, AnImageGoesToDiskWhenAllSnapshotsThatMayLeaveHaveLeft)
{
  struct Case
  {
    bool MayOutgrow;
    bool IsHeld;         ///< the other snapshot
    std::uint64_t Asked; ///< MiB
    std::uint64_t Grant; ///< 0: it waits
    std::uint64_t From;  ///< the first MiB on disk; 0: none
  };
  for (const Case& one : {
         Case{ true, false, 70, 70, 0 },
         Case{ true, true, 70, 86, 50 },
         Case{ false, true, 70, 0, 0 },
         Case{ true, true, 40, 45, 0 },
       })
  {
    this->RestartWithDisk();
    this->AddSnapshot("b.h5", 50);
    if (one.IsHeld)
    {
      this->State.Snapshots.Retain(1);
    }
    const ImageId number = this->AddImage("/run/a.h5", 30);
    OpenImage& image = this->State.Images.At(number);
    image.MayOutgrow = one.MayOutgrow;
    const auto extended = this->Extender.Extend(number, one.Asked * MiB);
    EXPECT_EQ(GrantOf(extended), one.Grant) << one.Asked;
    EXPECT_EQ(image.Map.Parameters().Disk.From / MiB, one.From) << one.Asked;
    EXPECT_EQ(image.Map.ReachesDisk(), one.From > 0) << one.Asked;
    if (one.From > 0)
    {
      EXPECT_EQ(extended->BeforeWriting.Plan.Folder, "/run");
      EXPECT_EQ(this->State.Memory.OnDiskByAll(), (one.Grant - one.From) * MiB);
    }
  }
}

TEST_F(GrantExtenderTest, AnImageOnDiskIsExtendedAPieceAtATime)
{
  this->RestartWithDisk();
  const ImageId number = this->AddImage("a.h5", 20);
  OpenImage& image = this->State.Images.At(number);
  image.MayOutgrow = true;
  EXPECT_EQ(GrantOf(this->Extender.Extend(number, 110 * MiB)), 126u);
  EXPECT_FALSE(this->Extender.ExtendAhead(number, 126 * MiB)) << "it is being extended";
  this->Extender.Confirm(number, 126 * MiB);
  EXPECT_FALSE(this->Extender.ExtendAhead(number, 110 * MiB - 1));
  const auto ahead = this->Extender.ExtendAhead(number, 110 * MiB);
  EXPECT_EQ(GrantOf(ahead), 142u);
  EXPECT_EQ(ahead->BeforeWriting.Plan.Folder, ".");
  EXPECT_THROW(this->Extender.Extend(number, 2000 * MiB), Error) << "the disk's window ends";
}

}
