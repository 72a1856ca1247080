// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/BoundedMap.h"
#include "Base/StrongType.h"
#include "Control/RequestId.h"
#include "Server/Core/WrittenFiles.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dsm
{

/// A table of the files that images write: which image holds the lock of a file, and which snapshot
/// is the newest version of it.
///
/// A file is what its identity on disk says (FileIdentity), so a lock follows a renamed file, and
/// the next file of the old name is another one. When the server puts a file on disk in place of
/// its placeholder, the file gets another identity, which this table takes for the first one. If
/// the file had no placeholder, its family (SnapshotDescription::Family) says that it is the same.
/// If nothing can stand on disk under a name, the name itself is the file.
///
/// It only decides. Not thread safe.
class FileLocks
{
public:
  struct File
  {
    std::string Identity;       ///< empty: the name counts
    std::string Name;           ///< empty: the identity alone counts
    SnapshotId Family = 0;      ///< of its snapshots; 0: unknown
    bool IsPutByServer = false; ///< so that images of the family may know it by another identity
  };

  /// Returns the image that holds the lock of a file; 0 if none does.
  ImageId HolderOf(const File& file) const;

  /// Enters an open image of a file, of which `base` is the newest snapshot now (0: it begins as
  /// none). With `locks` it holds the file's lock, which must be free.
  void Enter(ImageId image, const File& file, SnapshotId base, bool locks);

  /// Notes that an open image has become that snapshot, which is the newest version of its file.
  /// `family`: of the snapshot; 0: none.
  void NoteVersion(ImageId image, SnapshotId snapshot, SnapshotId family);

  /// Takes a file that the server is about to put on disk for the one whose place it takes. Knows
  /// the last 65536. Does nothing if one of the identities is empty.
  void NotePut(const FilePut& file);

  /// Notes that an image is closed and was not kept. Its lock stays until Release, since its writer
  /// has yet to put the file's name in order.
  void NoteNotKept(ImageId image, const PeerId& writer);

  /// Returns the writer of such an image; null if it is none.
  const PeerId* WriterOfNotKept(ImageId image) const;

  /// Returns the images of a writer that were not kept and keep their locks.
  std::vector<ImageId> NotKeptBy(const PeerId& writer) const;

  /// Forgets an image that is closed or given up. Does nothing if it was not entered.
  void Release(ImageId image);

  /// Returns the newest snapshot that was noted of the file of that identity; 0 if none was. Knows
  /// the last 65536 files.
  SnapshotId NewestOf(const std::string& identity) const;

  /// Returns the file of an open image; null if it was not entered.
  const File* FileOf(ImageId image) const;

  /// Returns the open images of the file of that identity, whether they hold its lock or not.
  std::vector<ImageId> ImagesOf(const std::string& identity) const;

  /// Returns the newest snapshot of an open image's file that it knows: its own last one, or the
  /// one with which it was entered; 0 if there is none.
  SnapshotId BaseOf(ImageId image) const;

private:
  struct Opened
  {
    File What;
    SnapshotId Base = 0;
    bool Locks = false;
  };

  const std::string& FirstOf(const std::string& identity) const;

  std::map<ImageId, PeerId> NotKept;               ///< their writers
  std::map<ImageId, Opened> Images;                ///< with their files' first identities
  std::map<std::string, ImageId> ByIdentity;       ///< the holders of locks, likewise
  std::map<std::string, std::set<ImageId>> ByName; ///< likewise; several were renamed
  std::map<SnapshotId, std::set<ImageId>> ByFamily;

  // A hundred bytes for each file.
  static constexpr std::size_t MostFiles = 65536;
  BoundedMap<std::string, SnapshotId> Newest{ MostFiles }; ///< by first identity
  /// The first identity of each file that the server has put on disk, by the last one.
  BoundedMap<std::string, std::string> First{ MostFiles };
};

}
