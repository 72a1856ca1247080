// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/Announcements.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/SnapshotEvents.h"
#include "Server/Core/SnapshotGroups.h"
#include "Server/Core/SnapshotTable.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace dsm
{

/// Decides when viewers hear of a snapshot: when nobody is about to open it again, and with the
/// other files of its step.
class AnnouncementService final : public SnapshotObserver
{
public:
  /// All must outlive this.
  AnnouncementService(CoreState& state, SnapshotTable& snapshots, const SnapshotEvents& events);

  /// Announces what is due.
  void AnnounceDue();
  /// Announces all that waits, because no more will come.
  void AnnounceAll();

  /// Which group a writer's file, or an image's next snapshot, belongs to.
  SnapshotGroups::Joined WouldJoin(
    const SnapshotGroups::Writer& writer, const std::string& fileName) const
  {
    return this->Groups.WouldJoin(writer, fileName);
  }
  SnapshotGroups::Joined WillJoin(ImageId image) { return this->Groups.WillJoin(image); }

  void OnBegun(const ImageBegun& image) override;
  void OnSealed(const SnapshotSealed& snapshot) override;
  void OnEnded(const ImageEnded& image) override;
  void OnEvicted(const SnapshotDescription& snapshot) override;
  void OnPeerLeft(const PeerLeft& left) override;

private:
  Announcements::Written HowWritten(const SnapshotSealed& snapshot) const;
  void Announce(const std::vector<SnapshotGroups::Group>& groups);
  bool LacksPart(const SnapshotGroups::Group& group) const;
  void Withhold(SnapshotId number);
  void ReportIncomplete(const std::string& name);

  CoreState& State;
  SnapshotTable& Snapshots;
  const SnapshotEvents& Events;
  Announcements Timing;
  SnapshotGroups Groups;
  std::set<ImageId> ByAll; ///< images that all processes of a program write together
  Clock::time_point Asked; ///< the moment of the last tick that was requested
};

}
