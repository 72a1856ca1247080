// SPDX-License-Identifier: BSD-3-Clause
#include "ImageFixture.h"

#include <functional>

namespace
{

using namespace dsm;

class RingReportTest : public ImageFixture
{
};

TEST_F(RingReportTest, NamesWhatFillsTheRing)
{
  EXPECT_EQ(this->Report.FullText(),
    "the DSM server's ring is full: 0 snapshots (at most 64) and 0 images being written use 0 B of "
    "100 MiB on 1 hosts");
  this->AddSnapshot("a.h5", 10);
  for (const std::uint64_t grant : { 1, 5, 2, 4 })
  {
    this->AddImage(fmt::format("b{}.h5", grant), grant);
  }
  EXPECT_EQ(this->Report.FullText(),
    "the DSM server's ring is full: 1 snapshots (at most 64) and 4 images being written use 22 MiB "
    "of 100 MiB on 1 hosts (b5.h5: 5 MiB, b4.h5: 4 MiB, b2.h5: 2 MiB, b1.h5: 1 MiB)");
  this->AddImage("b3.h5", 3);
  const std::string text = this->Report.FullText();
  EXPECT_NE(text.find("(b5.h5: 5 MiB, b4.h5: 4 MiB, b3.h5: 3 MiB and 2 more)"), std::string::npos)
    << text;
}

TEST_F(RingReportTest, SaysThatMemoryIsPinned)
{
  this->Restart(Ring::Pinned(1, 50 * MiB, 4));
  EXPECT_NE(this->Report.FullText().find(", whose memory is pinned, in 4 slots of 50 MiB"),
    std::string::npos)
    << this->Report.FullText();
}

TEST_F(RingReportTest, TheAdviceFollowsFromWhatHoldsTheMemory)
{
  struct Case
  {
    const char* Advice; ///< a part of it
    std::function<void()> Change;
    Ring Memory = Ring({ 1, 100 * MiB, 16 });
  };
  SnapshotTable& table = this->State.Snapshots;
  const std::vector<Case> cases{
    { "write less at once", [] {} },
    { "A program or a viewer holds them open", [&] { table.Retain(1); } },
    { "A viewer must read snapshots", [&] { this->SetPolicy(FullRing::Block); } },
    { "1 of them is a checkpoint", [&] { table.SetCheckpoints("*.h5"); } },
    { "slots for: 1. Open fewer at once, or share less memory",
      [&]
      {
        this->Evictions.Evict(1);
        this->AddImage("b.h5", 1);
      },
      Ring({ 1, 100 * MiB, 1 }) },
    { "slots for: 1. Open fewer at once, or start the server for more snapshots",
      [&]
      {
        this->Evictions.Evict(1);
        this->AddImage("b.h5", 1);
      },
      Ring::Pinned(1, 50 * MiB, 1) },
  };
  for (const Case& one : cases)
  {
    this->Restart(one.Memory);
    this->SetPolicy(FullRing::DropOldest);
    this->AddSnapshot("a.h5", 10);
    one.Change();
    const std::string advice = this->Report.Advice();
    EXPECT_NE(advice.find(one.Advice), std::string::npos) << advice;
  }
}

}
