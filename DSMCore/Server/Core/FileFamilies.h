// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/StrongType.h"

#include <map>

namespace dsm
{

/// A table of which snapshots are states of one file, one after the other. The first of them gives
/// the family its number (SnapshotDescription::Family). Knows the last 65536 snapshots and images.
/// Not thread safe.
class FileFamilies
{
public:
  /// Enters a snapshot of that family, which is a state of that image. Does nothing if the family
  /// is 0: what has no name on disk is no state of another's file.
  void Enter(SnapshotId number, SnapshotId family, ImageId image);

  /// Returns the family of a snapshot that there was.
  SnapshotId FamilyOf(SnapshotId number) const;

  /// Returns the family of the snapshots of an image; 0: there are none.
  SnapshotId FamilyOfImage(ImageId image) const;

  /// Returns the newest snapshot that there was of a family.
  SnapshotId NewestOf(SnapshotId family) const;

private:
  std::map<SnapshotId, SnapshotId> Families; ///< of those that are not their family's first
  std::map<SnapshotId, SnapshotId> Newest;   ///< of each family, if it is not the first
  std::map<ImageId, SnapshotId> Images;      ///< the families of their snapshots
};

}
