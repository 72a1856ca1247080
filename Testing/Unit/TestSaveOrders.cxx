// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/SaveOrders.h"

#include "Base/Error.h"
#include "Server/Core/SnapshotTable.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using Numbers = std::vector<SnapshotId>;

struct SaveOrdersTest : testing::Test
{
  SnapshotTable Table;
  SaveOrders Orders;
  SaveOrders::Time Now = Clock::now();

  SnapshotId Hide(const std::string& name)
  {
    SnapshotDescription snapshot;
    snapshot.FileName = name;
    snapshot.Stream = "/out.#.h5";
    const SnapshotId number = this->Table.Add(snapshot).Number;
    this->Table.Hide(number);
    this->Orders.Entered(number, this->Table);
    return number;
  }

  void Show(SnapshotId number)
  {
    this->Table.Show(number);
    this->Orders.Come(this->Table.Described(number), this->Table);
    this->Orders.Told(this->Table.Described(number), this->Table);
  }

  SnapshotId Enter(const std::string& name)
  {
    const SnapshotId number = this->Hide(name);
    this->Show(number);
    return number;
  }

  void Rename(SnapshotId number, const std::string& name)
  {
    for (const auto& before : this->Table.Rename(number, name, "/out.#.h5", 1))
    {
      this->Orders.Renamed({ before.Number, before.FileName, before.Stream }, this->Table);
    }
  }

  // "" or why not.
  std::string Each(std::uint64_t ticket, const std::string& rule, bool hold = false)
  {
    this->Orders.OrderEach({ ticket, rule, hold, "/archive", "subfiles", 0, 0, {} }, this->Table);
    return {};
  }

  // The number of the next; 0: none.
  SnapshotId Take()
  {
    this->Taken = this->Orders.Take(this->Now, this->Table);
    return this->Taken ? this->Taken->Snapshot.Number : SnapshotId(0);
  }

  void Done(const std::string& failure = {})
  {
    this->Orders.Done(*this->Taken, failure, this->Now, this->Table);
  }

  Numbers Evictable() const { return this->Table.Evictable(true); }

  std::optional<SaveOrder> Taken;
};

TEST_F(SaveOrdersTest, OneOfANumberIsHeldUntilItIsWritten)
{
  this->Enter("/out.1.h5");
  this->Enter("/out.2.h5");
  EXPECT_NE(this->Orders.OrderNumber({ 7, "/x", "single", false, {} }, 3, this->Table), "");
  EXPECT_EQ(this->Orders.OrderNumber({ 7, "/x", "single", false, {} }, 1, this->Table), "");
  EXPECT_EQ(this->Evictable(), Numbers{ 2 });
  EXPECT_EQ(this->Take(), 1U);
  EXPECT_EQ(this->Taken->Ticket, 7U);
  EXPECT_FALSE(this->Taken->OfMany);
  EXPECT_EQ(this->Evictable(), Numbers{ 2 });
  this->Done("no room");
  EXPECT_EQ(this->Evictable(), (Numbers{ 1, 2 }));
  EXPECT_EQ(this->Take(), 0U);
}

TEST_F(SaveOrdersTest, TheNextIsTheFirstThatFits)
{
  this->Enter("/out.1.h5");
  this->Orders.OrderNext({ 7, "", "single", false, {} }, "*.chk.h5", this->Table);
  this->Enter("/out.2.h5");
  EXPECT_EQ(this->Take(), 0U);
  this->Enter("/a.chk.h5");
  this->Enter("/b.chk.h5");
  EXPECT_EQ(this->Take(), 3U);
  this->Done();
  EXPECT_EQ(this->Take(), 0U);
}

TEST_F(SaveOrdersTest, TheNextIsNoneThatWasClosedBefore)
{
  const SnapshotId closed = this->Hide("/out.1.h5");
  this->Orders.OrderNext({ 7, "", "single", false, {} }, "*", this->Table);
  this->Show(closed);
  EXPECT_EQ(this->Take(), 0U);
  const SnapshotId next = this->Enter("/out.2.h5");
  EXPECT_EQ(this->Take(), next);
}

TEST_F(SaveOrdersTest, AStandingOrderHasThoseThatAreThereAndThoseThatCome)
{
  this->Enter("/a.chk.h5");
  this->Enter("/out.1.h5");
  const SnapshotId hidden = this->Hide("/b.chk.h5");
  this->Each(5, "*.chk.h5");
  this->Enter("/out.2.h5");
  EXPECT_EQ(this->Take(), 1U);
  EXPECT_TRUE(this->Taken->OfMany);
  EXPECT_EQ(this->Taken->Path, "/archive");
  EXPECT_EQ(this->Taken->Form, "subfiles");
  this->Done();
  EXPECT_EQ(this->Take(), 0U) << "viewers are not told of it yet";
  EXPECT_EQ(this->Evictable(), (Numbers{ 1, 2, 4 }));
  this->Show(hidden);
  EXPECT_EQ(this->Take(), hidden);
  this->Done();
  EXPECT_EQ(this->Evictable(), (Numbers{ 1, 2, 3, 4 }));
  ASSERT_EQ(this->Orders.Standing(this->Now, this->Table).size(), 1U);
  EXPECT_EQ(this->Orders.Standing(this->Now, this->Table)[0].Written, 2U);
}

TEST_F(SaveOrdersTest, AWrittenFileIsRenamedInTheArchive)
{
  this->Each(5, "all");
  this->Enter("/out.1.h5.tmp");
  this->Rename(1, "/early.h5");
  EXPECT_EQ(this->Take(), 1U);
  EXPECT_FALSE(this->Taken->IsRename) << "it has that name when it is written";
  EXPECT_EQ(this->Taken->Snapshot.FileName, "/early.h5");
  this->Rename(1, "/meanwhile.h5");
  this->Done();
  EXPECT_EQ(this->Take(), 1U);
  EXPECT_TRUE(this->Taken->IsRename);
  EXPECT_EQ(this->Taken->Snapshot.FileName, "/meanwhile.h5");
  this->Done();
  EXPECT_EQ(this->Take(), 0U);
  this->Rename(1, "/late.h5");
  EXPECT_EQ(this->Take(), 1U);
  EXPECT_TRUE(this->Taken->IsRename);
  EXPECT_EQ(this->Taken->Snapshot.FileName, "/late.h5");
  this->Done();
  EXPECT_EQ(this->Take(), 0U);
  EXPECT_EQ(this->Orders.Standing(this->Now, this->Table)[0].Written, 1U);
}

TEST_F(SaveOrdersTest, WhatFailsIsTriedAgain)
{
  this->Each(5, "all");
  this->Enter("/out.1.h5");
  EXPECT_EQ(this->Take(), 1U);
  this->Done("no room");
  EXPECT_EQ(this->Take(), 0U);
  EXPECT_EQ(this->Evictable(), Numbers{ 1 }) << "others may need its memory";
  EXPECT_EQ(this->Orders.Standing(this->Now, this->Table)[0].Failure, "no room");
  ASSERT_TRUE(this->Orders.NextTry());
  EXPECT_GT(*this->Orders.NextTry(), this->Now);
  this->Now = *this->Orders.NextTry();
  EXPECT_EQ(this->Take(), 1U);
  this->Done();
  EXPECT_FALSE(this->Orders.NextTry());
  EXPECT_EQ(this->Orders.Standing(this->Now, this->Table)[0].Failure, "");
}

TEST_F(SaveOrdersTest, WhatHoldsDropsNothing)
{
  this->Each(5, "all", true);
  this->Enter("/out.1.h5");
  EXPECT_EQ(this->Take(), 1U);
  this->Done("no room");
  EXPECT_TRUE(this->Evictable().empty());
  this->Now = *this->Orders.NextTry();
  EXPECT_EQ(this->Take(), 1U);
  this->Done();
  EXPECT_EQ(this->Evictable(), Numbers{ 1 });
}

TEST_F(SaveOrdersTest, WhatHasLeftAndWasNotWrittenIsSaid)
{
  this->Each(5, "all");
  this->Enter("/out.1.h5");
  this->Take();
  this->Done("no room");
  this->Table.Remove(1);
  EXPECT_EQ(this->Orders.Left(1), std::optional<std::string>("no room"));
  EXPECT_EQ(this->Orders.Left(1), std::nullopt);
}

TEST_F(SaveOrdersTest, AnOrderThatHasEndedWritesWhatWaits)
{
  this->Each(5, "all");
  this->Each(6, "*.2.h5");
  this->Enter("/out.1.h5");
  const SnapshotId hidden = this->Hide("/out.3.h5");
  EXPECT_NE(this->Orders.EndEach(4, this->Table), "");
  EXPECT_EQ(this->Orders.EndEach(5, this->Table), "");
  EXPECT_NE(this->Orders.EndEach(5, this->Table), "");
  EXPECT_EQ(this->Orders.Standing(this->Now, this->Table).size(), 1U);
  this->Show(hidden);
  EXPECT_EQ(this->Take(), 1U);
  this->Done();
  this->Enter("/out.2.h5");
  EXPECT_EQ(this->Take(), 3U);
  EXPECT_EQ(this->Taken->Ticket, 6U);
  this->Done();
  EXPECT_EQ(this->Take(), 0U);
  EXPECT_EQ(this->Evictable(), (Numbers{ 1, 2, 3 }));
}

TEST_F(SaveOrdersTest, ARuleThatMakesNoSenseIsNoOrder)
{
  EXPECT_THROW(this->Each(5, "every"), Error);
  EXPECT_FALSE(this->Orders.HasStanding());
}

}
