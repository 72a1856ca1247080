// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/Descriptions.h"

#include <string>

/// Where snapshots are put on disk. All throw Error(System) where a folder cannot be made.
namespace dsm::archivepath
{

/// A folder that is there then, with those above it.
void MakeFolder(const std::string& folder);

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
