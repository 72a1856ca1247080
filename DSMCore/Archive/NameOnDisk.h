// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Archive/NewFile.h"
#include "Base/FileDescriptor.h"
#include "Base/FileMark.h"
#include "Protocol/Descriptions.h"
#include "Protocol/PlaceholderContents.h"
#include "Server/Core/WrittenFiles.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace dsm
{

/// Where the file of a snapshot belongs on disk: under the name that its simulation gave it, or has
/// given it since. What stands there meanwhile is the placeholder that the simulation left, or an
/// older state of the file that was put there before:
///
///     out.h5 is the placeholder of this snapshot, or an older state of the file: there
///     out.tmp is not there any more, and out.h5 in the same folder is its placeholder: there
///     neither: the simulation has removed it, and it belongs nowhere
///
/// What somebody else has put there since is not touched.
class NameOnDisk
{
public:
  /// What the server knows that has the snapshot.
  struct Known
  {
    std::string Key; ///< its public one
    /// The functions of DiskAccess that have these names.
    std::function<std::optional<WrittenFiles::File>(const FileMark&)> WrittenAs;
    std::function<SnapshotId(const PlaceholderAddress&)> FamilyOf;
    std::function<SnapshotId(SnapshotId)> WrittenOf;
  };

  NameOnDisk(const SnapshotDescription& snapshot, const Known& server);

  /// Looks where. False when it belongs nowhere; WhyNot says why, and nothing where the simulation
  /// itself has removed it or written a newer one. Throws Error(System) when that cannot be seen
  /// from here.
  bool Find();
  const std::string& WhyNot() const { return this->Reason; }
  const std::string& Path() const { return this->Place; }

  /// Behind a Put: whether the folder has another placeholder of this very snapshot, which is whole
  /// as well on a disk: a copy. Looked for where Find had to look for a file that was renamed,
  /// since only who is first in the folder is found then.
  bool FindCopy();

  /// Whether what a simulation has left there was found, so that this machine has its file system.
  bool IsSeen() const { return this->Seen; }

  /// Returns the identity of what Find has found (FileIdentity); empty: nothing is there.
  std::string Identity() const;

  /// Returns true if Find has found an older state of the file, which the server has put there.
  bool HasOlderState() const { return this->There && this->IsOlderState; }

  /// Gives the file that Find has found another name, which is returned: out.h5.older, or
  /// out.h5.older.2 if that is taken. Throws Error(System).
  std::string PutAside() const;

  /// Puts a whole file there, in place of what Find has found, with that one's permissions. False
  /// when something else is there by now: Find looks again. Throws Error(System).
  bool Put(NewFile& file) const;

private:
  enum class What
  {
    Before, ///< what this snapshot's file takes the place of
    Behind, ///< this snapshot's file, or a newer state of it
    Other,  ///< another file of this server's
    Foreign
  };

  What Judge(int file);
  bool Take(const std::string& path);
  bool IsBefore(const std::string& path);
  bool Search(bool itself);

  const SnapshotDescription& Snapshot;
  const Known& Server;
  std::string Place;
  std::string Reason;
  std::unique_ptr<FileDescriptor> There; ///< null: nothing is
  bool Seen = false;
  bool IsItself = false;     ///< what was judged last is a placeholder of this very snapshot
  bool IsOlderState = false; ///< what was judged last is the server's, and older
  bool Searched = false;
};

}
