// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/FileAccess.h"
#include "Base/FileDescriptor.h"
#include "Base/FileMark.h"
#include "Protocol/ImageMessages.h"
#include "Protocol/PlaceholderContents.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace dsm
{

/// What stands on disk under the name of a file in memory, so that the name can be listed, tested,
/// renamed, copied, linked and removed like any other: a small HDF5 file, apparently as long as the
/// file itself, whose attributes tell a person what it is, and this library where the bytes are.
///
/// It is made where the file itself would be, as HDF5 would (links are followed, the mode is the
/// umask's), and goes with its inode from then on: what is renamed meanwhile is still told which
/// snapshot it became. If it never became one, the destructor makes it that of the snapshot whose
/// placeholder it was before, or removes it. What becomes of the snapshot later, the server puts
/// into it (Server/PlaceholderTeller).
///
/// For the one process that has the image. Where there is no such file system, or the driver of
/// another machine reads the name, the server finds snapshots by their names.
class Placeholder
{
public:
  /// Which snapshot of the same server a file is that has the name and is no placeholder, where
  /// that is to stay as it is; 0: none.
  using Stays = std::function<SnapshotId(const FileMark& there)>;

  /// What must have the name.
  enum class Name
  {
    Any, ///< a file, or nothing: then one is made
    Free,
    Taken
  };

  /// Opens the file that has the name, whose contents stay until Put, or makes one. `begun`: the
  /// server, if what is made is to be a placeholder at once, of a file that is about to be written;
  /// else it is empty. Throws Error(Usage) with HDF5's words if the name is not as wanted, else
  /// Error(System) naming the file.
  explicit Placeholder(
    const std::string& path, Name name = Name::Any, const PlaceholderAddress& begun = {});
  ~Placeholder();
  Placeholder(const Placeholder&) = delete;
  Placeholder& operator=(const Placeholder&) = delete;

  /// What the file was when it was opened; none if it was no placeholder.
  const std::optional<PlaceholderContents>& Found() const { return this->WasThere; }

  /// Returns by what the file is known now; none if it is no regular file.
  std::optional<FileMark> Mark() const { return FileMark::Of(this->File.Get()); }

  /// Returns the same as Found for the server of that public key.
  NameThere There(const std::string& server) const;

  /// Whether the file is an ordinary one that another process has locked (flock), as HDF5 does.
  /// `byReaders`: also by those who only read it.
  bool IsLockedOnDisk(bool byReaders) const;

  /// Makes the file a placeholder: it was created anew, or is appended to, and then Number says
  /// what readers see meanwhile. Throws Error(System) naming the file.
  void Put(const PlaceholderAddress& address, const Stays& stays = {});

  /// The snapshot of the same server whose file, or placeholder, had the name before; 0: none.
  SnapshotId Before() const { return this->SnapshotBefore; }

  /// That file, where it was left as it is, so that this is no placeholder.
  const std::optional<FileMark>& Left() const { return this->FileLeft; }

  /// Returns who may do what with what has the name now, whatever the program has allowed since.
  std::optional<FileAccess> Access() const { return FileAccess::Of(this->File.Get()); }

  /// The file is a snapshot of that many bytes now, and these are there. Does nothing if the file
  /// says already that it is a newer one. If another image of the file has been begun since, its
  /// placeholder stays, and says that it was this snapshot before. Throws Error(System).
  void Tell(SnapshotId number, std::uint64_t size, const std::optional<SlotAddress>& place = {});

  /// The server has not kept the image, which was closed. The file is the snapshot again that it
  /// was before. If there is none, it says that it has left the memory. A failure is logged.
  void TellNotKept();

  /// Others may read the file, whose bytes are there, while it is written; until Tell. Throws
  /// Error(System).
  void TellLive(const SlotAddress& place);

  /// The file stays though it has not become a snapshot: the server says in it what became of it,
  /// or another image of the file has its lock.
  void Leave() { this->IsLeft = true; }

  /// What a file on disk says; none when it is no placeholder, or there is none. Throws
  /// Error(Refused) for one of another version.
  static std::optional<PlaceholderContents> Read(const std::string& path);

  /// Reads the same. `plain` becomes the mark of a file that is no placeholder; none if there is no
  /// such file.
  static std::optional<PlaceholderContents> Read(
    const std::string& path, std::optional<FileMark>& plain);

private:
  void Write();
  void Write(const std::string& addressText, std::optional<std::uint64_t> size) const;
  bool SaysWhatWasWritten() const;
  void NoteClosedBefore();
  bool IsOfAnotherImage(const PlaceholderContents& there) const;
  void Remove() const;
  void Restore();
  void TellDropped() const;

  bool IsNew = false; ///< and nothing was put into it
  bool IsPut = false;
  const FileDescriptor File;
  const std::string Path;
  const std::optional<PlaceholderContents> WasThere;
  PlaceholderAddress Address;
  std::string Written; ///< the address's text that this object has written last
  std::uint64_t Size = 0;
  SnapshotId SnapshotBefore = 0;
  std::uint64_t SizeBefore = 0; ///< of that snapshot's file
  std::optional<FileMark> FileLeft;
  bool IsLeft = false;
};

}
