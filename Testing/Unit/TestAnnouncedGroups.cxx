// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/AnnouncementService.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dsm
{

namespace
{
/// Records what viewers hear.
class Viewer final : public SnapshotObserver
{
public:
  void OnAnnounced(const SnapshotDescription& one) override
  {
    this->Announced.push_back(one.Number);
  }
  void OnWithheld(const SnapshotDescription& one) override { this->Withheld.push_back(one.Number); }

  std::vector<dsm::SnapshotId> Announced;
  std::vector<dsm::SnapshotId> Withheld;
};

class AnnouncedGroups : public ::testing::Test
{
protected:
  AnnouncedGroups() { this->Events.Subscribe(this->Hears); }

  /// A process of a job of two writes its file.
  void Write(std::uint64_t number)
  {
    const std::string file = "/run/out.p" + std::to_string(number) + ".h5";
    this->Service.OnBegun({ dsm::ImageId(number), std::to_string(number),
      { std::to_string(number), "job", 2, true }, file, 0 });
    SnapshotDescription snapshot;
    snapshot.FileName = file;
    this->Table.Add(snapshot);
    this->Service.OnSealed({ dsm::ImageId(number), dsm::SnapshotId(number) });
  }

  ServerOptions Options;
  ServerDescription Description;
  CoreState State{ this->Options, this->Description, {} };
  SnapshotTable Table;
  SnapshotEvents Events;
  Viewer Hears;
  AnnouncementService Service{ this->State, this->Table, this->Events };
};
}

TEST_F(AnnouncedGroups, AnnouncesAGroupOnce)
{
  this->Write(1);
  this->Write(2);
  this->Service.AnnounceAll();
  EXPECT_EQ(this->Hears.Announced, (std::vector<dsm::SnapshotId>{ 2 }));
}

TEST_F(AnnouncedGroups, WithholdsAGroupOfWhichAPartLeavesWithinTheEvent)
{
  this->Write(1);
  this->Write(2);
  this->Table.Remove(1);
  this->Service.AnnounceAll();
  EXPECT_TRUE(this->Hears.Announced.empty());
  EXPECT_EQ(this->Hears.Withheld, (std::vector<dsm::SnapshotId>{ 2 }));
  EXPECT_NE(this->State.Trouble.Last(), "");
}

}
