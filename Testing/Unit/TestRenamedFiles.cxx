// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/RenamedFiles.h"

#include "SimulatedServer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace
{

using namespace dsm;
using dsm::testing::SimulatedServer;

class RenamedFilesTest : public ::testing::Test
{
protected:
  RenamedFilesTest() { this->Server.Connect("writer", "writer"); }

  void Rename(SnapshotId number, const std::string& name)
  {
    this->Server.Ask("writer", RenameFile{ name, number });
  }

  /// The name of the next one; empty: there is none.
  std::string Take(SnapshotId last)
  {
    const auto taken = this->Server.Core.Router.Do([&] { return this->Renamed.Take(last); });
    return taken ? taken->FileName : std::string();
  }

  /// The snapshots that may leave the memory.
  std::vector<SnapshotId> Evictable() const
  {
    return this->Server.Core.Images.Snapshots().Evictable(true);
  }

  SimulatedServer Server;
  RenamedFiles& Renamed = this->Server.Core.Observe<RenamedFiles>(
    this->Server.Core.Reads, this->Server.Core.Images.Snapshots());
};

TEST_F(RenamedFilesTest, GivesEachOnceByItsPresentName)
{
  this->Server.WriteFile("writer", "/a.tmp");
  this->Server.WriteFile("writer", "/b.tmp");
  EXPECT_EQ(this->Take(2), "");
  this->Rename(1, "/a.part");
  this->Rename(1, "/a.h5");
  this->Rename(2, "/b.h5");
  EXPECT_EQ(this->Take(2), "/a.h5");
  EXPECT_EQ(this->Take(2), "/b.h5");
  EXPECT_EQ(this->Take(2), "");
}

// Whoever takes snapshots in their order sees the new name of a later one anyway.
TEST_F(RenamedFilesTest, KeepsLaterOnesForLater)
{
  this->Server.WriteFile("writer", "/a.tmp");
  this->Server.WriteFile("writer", "/b.tmp");
  this->Rename(2, "/b.h5");
  this->Rename(1, "/a.h5");
  EXPECT_EQ(this->Take(1), "/a.h5");
  EXPECT_EQ(this->Take(1), "");
  EXPECT_EQ(this->Take(2), "/b.h5");
}

TEST_F(RenamedFilesTest, HoldsThemUntilTheyAreGivenBack)
{
  this->Server.WriteFile("writer", "/a.tmp");
  EXPECT_EQ(this->Evictable().size(), 1u);
  this->Rename(1, "/a.h5");
  EXPECT_TRUE(this->Evictable().empty());
  EXPECT_EQ(this->Take(1), "/a.h5");
  EXPECT_TRUE(this->Evictable().empty());
  this->Server.Core.Router.Do([&] { this->Server.Core.Reads.Release(1); });
  EXPECT_EQ(this->Evictable().size(), 1u);
}

}
