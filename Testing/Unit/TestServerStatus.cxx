// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ServerStatus.h"

#include "Encoding/Encoding.h"

#include <gtest/gtest.h>

#include <string>

namespace
{
using namespace dsm;

// What people must be able to see is in the record, under names that scripts and the panel know.
TEST(ServerStatusTest, JsonHasWhatPeopleMustSee)
{
  ServerStatus status;
  status.Writers.emplace_back();
  status.Snapshots.emplace_back();
  status.Snapshots.back().Statistics.HostBytes = { 1 };
  status.SavingNow.emplace();
  const std::string text = ToText(status);
  for (const char* name : { "State", "LastError", "LastErrorAt", "Receiving", "MemoryUsed",
         "MemoryBudget", "HostMemoryUsed", "HostBytes", "BytesReceived", "BlockedSeconds",
         "WaitingSeconds", "WritersSeen", "Viewers", "SnapshotsSealed", "SnapshotsDropped",
         "SnapshotsSkipped", "ImagesAbandoned", "Saved", "WaitingForDisk", "DiskTrouble",
         "SavingNow", "Transports", "Options", "Pending", "Runs",
         // of a writer
         "Program", "Ranks", "Node", "Mpi", "Since",
         // of a snapshot
         "Number", "FileName", "Step", "FileSize", "Statistics", "Bytes", "WriteSeconds", "Parts",
         "SealedAt", "Stream", "Run" })
  {
    EXPECT_NE(text.find('"' + std::string(name) + "\":"), std::string::npos) << name;
  }
}

TEST(ServerStatusTest, ComesBackFromItsJson)
{
  ServerStatus status;
  status.State = ServerState::ClientLost;
  status.SnapshotsSealed = 3;
  status.LastError = "no room";
  status.Options.MemoryPerHost = 4096;
  const std::string text = ToText(status);
  EXPECT_EQ(ToText(FromText<ServerStatus>(text, "the status")), text);
}
}
