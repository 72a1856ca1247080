// SPDX-License-Identifier: BSD-3-Clause
#include "Control/PeerTable.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;

// A table with ten seconds of patience, and a clock that the test sets.
class PeerTableTest : public ::testing::Test
{
protected:
  Clock::time_point At(double seconds) const
  {
    return this->Begin + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
  }
  std::size_t LostAt(double seconds) { return this->Table.TakeLost(this->At(seconds)).size(); }

  const Clock::time_point Begin = Clock::now();
  PeerTable Table{ Seconds(10) };
};

TEST_F(PeerTableTest, SilenceLosesAPeerOnce)
{
  EXPECT_EQ(this->Table.Received("a", 5, "key", this->At(0)), PeerTable::Standing::Good);
  EXPECT_EQ(this->Table.Received("b", 6, "key", this->At(4)), PeerTable::Standing::Good);
  EXPECT_EQ(this->LostAt(9.9), 0u);
  const auto lost = this->Table.TakeLost(this->At(10.1));
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost.front().Id, "a");
  EXPECT_FALSE(lost.front().Announced);
  EXPECT_EQ(this->LostAt(10.2), 0u);
  EXPECT_EQ(this->Table.All(), std::vector<PeerId>{ "b" });
}

TEST_F(PeerTableTest, ALostPeersMessagesAreIgnored)
{
  this->Table.Received("a", 5, "key", this->At(0));
  EXPECT_EQ(this->LostAt(11), 1u);
  EXPECT_EQ(this->Table.Received("a", 5, "key", this->At(12)), PeerTable::Standing::Lost);
  EXPECT_EQ(this->Table.Received("c", 5, "key", this->At(12)), PeerTable::Standing::Good);
}

TEST_F(PeerTableTest, APeerThatDisconnectedMayConnectAgain)
{
  this->Table.Received("a", 5, "key", this->At(0));
  EXPECT_FALSE(this->Table.Remove("a"));
  this->Table.Received("a", 5, "key", this->At(1));
  this->Table.Announce("a");
  EXPECT_TRUE(this->Table.Remove("a"));
  EXPECT_FALSE(this->Table.Remove("a"));
}

TEST_F(PeerTableTest, AClosedConnectionShortensTheWait)
{
  this->Table.Received("a", 5, "key", this->At(0));
  this->Table.Announce("a");
  this->Table.Received("b", 6, "key", this->At(0));
  this->Table.Closed(5, this->At(1));
  EXPECT_EQ(this->LostAt(3.9), 0u);
  const auto lost = this->Table.TakeLost(this->At(4.1));
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost.front().Id, "a");
  EXPECT_TRUE(lost.front().Announced);
}

TEST_F(PeerTableTest, APeerThatComesBackIsNotLost)
{
  this->Table.Received("a", 5, "key", this->At(0));
  this->Table.Closed(5, this->At(1));
  this->Table.Received("a", 7, "key", this->At(2));
  this->Table.Closed(5, this->At(2.5)); // somebody else's, by now
  EXPECT_EQ(this->LostAt(11.9), 0u);
  EXPECT_EQ(this->LostAt(12.1), 1u);
}

TEST_F(PeerTableTest, DeadlinesAreExtendedAfterTheServersOwnPause)
{
  this->Table.Received("a", 5, "key", this->At(0));
  this->Table.Received("b", 6, "key", this->At(0));
  this->Table.Closed(6, this->At(0));
  this->Table.ExtendDeadlines(this->At(100));
  EXPECT_EQ(this->LostAt(102.9), 0u);
  EXPECT_EQ(this->LostAt(103.1), 1u);
  EXPECT_EQ(this->LostAt(104.9), 0u);
  EXPECT_EQ(this->LostAt(105.1), 1u);
}

// Of two whose connections are closed, one is known to have ended.
TEST_F(PeerTableTest, AProcessThatHasEndedDoesNotComeBack)
{
  this->Table.Received("a", 5, "key", this->At(0));
  this->Table.Received("b", 6, "key", this->At(0));
  this->Table.Received("c", 7, "key", this->At(0));
  this->Table.Closed(5, this->At(1));
  this->Table.Closed(6, this->At(1));
  const auto hasEnded = [](const PeerId& id) { return id != "b"; };
  // What it has sent before may still be on its way.
  EXPECT_TRUE(this->Table.TakeLost(this->At(1.1), hasEnded).empty());
  const auto lost = this->Table.TakeLost(this->At(1.5), hasEnded);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost.front().Id, "a");
  EXPECT_TRUE(this->Table.TakeLost(this->At(3.9), hasEnded).empty());
  EXPECT_EQ(this->Table.TakeLost(this->At(4.1), hasEnded).front().Id, "b");
}

// Who holds another key is somebody else, whatever it calls itself.
TEST_F(PeerTableTest, ANameBelongsToTheKeyThatCameWithIt)
{
  this->Table.Received("a", 5, "ada's", this->At(0));
  EXPECT_EQ(this->Table.Received("a", 6, "eve's", this->At(1)), PeerTable::Standing::Foreign);
  EXPECT_EQ(this->Table.Received("a", 5, "ada's", this->At(2)), PeerTable::Standing::Good);
}

TEST_F(PeerTableTest, ThoseOfAKeyAreTakenOutTogether)
{
  this->Table.Received("a", 5, "guest's", this->At(0));
  this->Table.Received("b", 6, "owner's", this->At(0));
  this->Table.Received("c", 7, "guest's", this->At(0));
  this->Table.Announce("c");
  const auto taken = this->Table.TakeOf("guest's");
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].Id, "a");
  EXPECT_FALSE(taken[0].Announced);
  EXPECT_EQ(taken[1].Id, "c");
  EXPECT_TRUE(taken[1].Announced);
  EXPECT_EQ(this->Table.All(), std::vector<PeerId>{ "b" });
}

}
