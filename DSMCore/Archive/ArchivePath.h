// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/Descriptions.h"

#include <string>
#include <vector>

/// The paths of snapshots on disk. Functions that make folders throw Error(System) if they cannot.
namespace dsm::archivepath
{

/// A folder that is there then, with those above it.
void MakeFolder(const std::string& folder);

/// Returns the path of a file in a folder: with the folders that the file has below the contact
/// file's folder, or with all of them if it is elsewhere. So no two files have one path there.
/// Takes a snapshot in several files for one file.
///
///     /run/a/out.h5 with /run/run.dsm: FOLDER/a/out.h5
///     /tmp/out.h5 with /run/run.dsm: FOLDER/tmp/out.h5
std::string PlaceIn(
  const std::string& folder, const SnapshotDescription& snapshot, const std::string& contact);

/// In a folder, the files of one snapshot: each has the folders in which it differs from the
/// others. In the order of `parts`.
std::vector<std::string> PartsIn(
  const std::string& folder, const std::vector<SnapshotDescription>& parts);

/// The folder of a file, which is there then.
void MakeFolderOf(const std::string& file);

/// In a folder, over nothing that is there: under the name of the snapshot's file, or where that is
/// taken with the snapshot's number.
std::string FreeIn(const std::string& folder, const SnapshotDescription& snapshot);

/// Where a snapshot goes when nobody says: in a folder beside the contact file, over nothing that
/// is there. Of one in several files, the folder for them.
std::string Default(const std::string& contact, const SnapshotDescription& snapshot);

/// Where one goes when a path is said: in it, if that is a folder, by its own name. Of one in
/// several files, the folder for them.
std::string At(const std::string& path, const SnapshotDescription& snapshot);

}
