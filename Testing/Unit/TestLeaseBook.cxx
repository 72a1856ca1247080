// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/LeaseBook.h"

#include "Base/Error.h"
#include "Server/Core/SnapshotTable.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using Numbers = std::vector<SnapshotId>;

struct LeaseBookTest : testing::Test
{
  SnapshotTable Table;
  const CoreTime Time;
  LeaseBook Leases{ this->Table, this->Time };

  void Add(const std::string& name)
  {
    SnapshotDescription snapshot;
    snapshot.FileName = name;
    this->Table.Add(snapshot);
  }

  // The number of the snapshot that a peer gets.
  std::uint64_t Open(const PeerId& peer, const OpenSnapshot& message, bool isGuest = false)
  {
    this->Last = this->Leases.NextNumber();
    return this->Leases.Open(peer, this->Last, message, isGuest).Number;
  }

  static OpenSnapshot ByNumber(SnapshotId number)
  {
    OpenSnapshot message;
    message.Number = number;
    return message;
  }

  static OpenSnapshot ByName(const std::string& name)
  {
    OpenSnapshot message;
    message.File = name;
    return message;
  }

  Fault FaultOf(const OpenSnapshot& message)
  {
    try
    {
      this->Open("ada", message);
    }
    catch (const Error& error)
    {
      return error.GetFault();
    }
    return Fault::System;
  }

  Numbers Evictable() const { return this->Table.Evictable(true); }
  Numbers ReadOnes() const { return this->Table.Evictable(false); }

  std::uint64_t Last = 0;
};

TEST_F(LeaseBookTest, ASnapshotStaysUntilAllHaveClosedIt)
{
  this->Add("/out.1.h5");
  this->Add("/out.2.h5");
  EXPECT_EQ(this->Open("ada", ByNumber(1)), 1U);
  const std::uint64_t first = this->Last;
  EXPECT_EQ(this->Open("bob", ByName("/out.1.h5")), 1U);
  EXPECT_EQ(this->Evictable(), Numbers{ 2 });
  this->Leases.End("bob", first); // is not bob's
  this->Leases.End("ada", first);
  this->Leases.End("ada", first);
  EXPECT_FALSE(this->Leases.HasAny("ada"));
  EXPECT_EQ(this->Evictable(), Numbers{ 2 });
  this->Leases.EndAll("bob", false);
  EXPECT_EQ(this->Evictable(), (Numbers{ 1, 2 }));
  EXPECT_EQ(this->ReadOnes(), Numbers{ 1 });
}

TEST_F(LeaseBookTest, ASparingLeaseMovesItsSnapshotBehindTheOthers)
{
  for (const char* const name : { "/1.h5", "/2.h5", "/3.h5" })
  {
    this->Add(name);
  }
  OpenSnapshot spare = ByNumber(1);
  spare.Peek = true;
  spare.Spare = true;
  this->Open("ada", spare);
  EXPECT_FALSE(this->Leases.HasAny("ada")) << "it retains nothing";
  EXPECT_EQ(this->Evictable(), (Numbers{ 2, 3, 1 }));
  this->Leases.End("ada", this->Last);
  EXPECT_EQ(this->Evictable(), (Numbers{ 1, 2, 3 }));
  this->Open("ada", spare);
  this->Leases.EndAll("ada", true);
  EXPECT_EQ(this->Evictable(), (Numbers{ 1, 2, 3 }));
  EXPECT_EQ(this->ReadOnes(), Numbers{}) << "sparing is not reading";
}

TEST_F(LeaseBookTest, WhatGuestsPeekAtAndLostPeersHadIsUnread)
{
  for (const char* const name : { "/1.h5", "/2.h5", "/3.h5" })
  {
    this->Add(name);
  }
  OpenSnapshot peek = ByNumber(1);
  peek.Peek = true;
  this->Open("ada", peek);
  this->Leases.EndAll("ada", false);
  this->Open("guest", ByNumber(2), true);
  this->Leases.EndAll("guest", false);
  this->Open("ada", ByNumber(3));
  this->Leases.Grant("ada", { 3, false, {}, 0, true });
  this->Leases.EndAll("ada", true);
  EXPECT_EQ(this->Evictable(), (Numbers{ 1, 2, 3 }));
  EXPECT_TRUE(this->ReadOnes().empty());
}

TEST_F(LeaseBookTest, WhatIsTakenIsReadWhenItIsGivenBack)
{
  this->Add("/1.h5");
  const std::uint64_t taken = this->Leases.Grant("ada", { 1, false, {}, 0, true });
  this->Open("ada", ByNumber(1));
  this->Leases.End("ada", this->Last);
  EXPECT_FALSE(this->Table.WasRead(1));
  this->Leases.End("ada", taken);
  EXPECT_TRUE(this->Table.WasRead(1));
}

TEST_F(LeaseBookTest, APeersOwnNumbersAreGoodOnce)
{
  this->Add("/1.h5");
  const std::uint64_t own = HoldSnapshots::FirstLease + 7;
  EXPECT_FALSE(this->Leases.Enter("ada", 7, { 1 })); // could be the server's
  EXPECT_FALSE(this->Leases.Enter("ada", own, { 2 }));
  EXPECT_FALSE(this->Leases.HasAny("ada"));
  EXPECT_TRUE(this->Leases.Enter("ada", own, { 1 }));
  EXPECT_FALSE(this->Leases.Enter("ada", own, { 1 }));
  EXPECT_TRUE(this->Leases.Enter("bob", own, { 1 }));
  ASSERT_NE(this->Leases.Find("ada", own), nullptr);
  EXPECT_EQ(this->Leases.Find("ada", own)->Number, 1U);
  EXPECT_EQ(this->Leases.Find("ada", own + 1), nullptr);
  EXPECT_EQ(this->Leases.Find("eve", own), nullptr);
  this->Leases.End("ada", own);
  this->Leases.End("bob", own);
  EXPECT_EQ(this->Evictable(), Numbers{ 1 });
}

TEST_F(LeaseBookTest, NobodyHasMoreThanTheMost)
{
  this->Add("/1.h5");
  for (std::uint64_t i = 0; i < LeaseBook::Most; ++i)
  {
    this->Leases.RequireRoom("ada", 1);
    ASSERT_TRUE(this->Leases.Enter("ada", HoldSnapshots::FirstLease + i, { 1 }));
  }
  EXPECT_THROW(this->Leases.RequireRoom("ada", 1), Error);
  EXPECT_FALSE(this->Leases.Enter("ada", HoldSnapshots::FirstLease + LeaseBook::Most, { 1 }));
  this->Leases.RequireRoom("ada", 2); // which speaks for two
  this->Leases.RequireRoom("bob", 1);
}

TEST_F(LeaseBookTest, NobodyGetsAnOlderOneForWhatHasGone)
{
  EXPECT_EQ(this->FaultOf(ByNumber(1)), Fault::Refused);
  EXPECT_EQ(this->FaultOf(ByName("/x.h5")), Fault::Refused);
  SnapshotDescription snapshot;
  snapshot.FileName = "/x.h5";
  snapshot.SealedAt = 100;
  this->Table.Add(snapshot);
  this->Table.Remove(1);
  EXPECT_EQ(this->FaultOf(ByName("/x.h5")), Fault::Gone);
  OpenSnapshot newer = ByName("/x.h5");
  newer.OnDiskSince = 101; // a newer file is there
  EXPECT_EQ(this->FaultOf(newer), Fault::Refused);
  this->Add("/y.h5");
  OpenSnapshot instead = ByNumber(1);
  instead.Instead = "*y.h5";
  EXPECT_EQ(this->Open("ada", instead), 2U);
  EXPECT_FALSE(this->Leases.HasAny("eve"));
}

TEST_F(LeaseBookTest, RanksThatReadTogetherGetTheSame)
{
  this->Add("/1.h5");
  OpenSnapshot together;
  together.Number = SnapshotId(1);
  together.Instead = "*";
  together.Together = JointViewer{ "viewer", 2 };
  EXPECT_EQ(this->Open("rank 0", together), 1U);
  this->Leases.End("rank 0", this->Last);
  EXPECT_TRUE(this->Evictable().empty()); // the other has not come
  this->Add("/2.h5");
  EXPECT_EQ(this->Open("rank 1", together), 1U);
  this->Leases.End("rank 1", this->Last);
  EXPECT_EQ(this->Evictable(), (Numbers{ 1, 2 }));
  EXPECT_FALSE(this->Leases.EndLate());
}

}
