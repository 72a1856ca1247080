// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/FileAccess.h"
#include "Base/FileMark.h"
#include "Protocol/HostMessages.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace dsm
{

/// A file that has its name only once it is whole, in place of what had that name; without Finish
/// nothing is left of it. Where the file system can, it has no name before (O_TMPFILE): so also
/// when this process is killed. All throw Error(System) that names the file.
class NewFile
{
public:
  /// `access`: what others may do with it once it has its name, and until then only its owner may
  /// do anything; none: what this process lets them do with new files.
  explicit NewFile(const std::string& path, std::optional<FileAccess> access = {});
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  /// Makes room on the disk for a file of that size, or fails at once, saying how much there is.
  /// Where the file system cannot do that, or is in memory, there is as much free at least; others
  /// may take it before the bytes are added.
  void Reserve(std::uint64_t size) const;

  /// Adds bytes; returns how many it took.
  std::uint64_t Write(const std::byte* source, std::uint64_t size) const;

  /// Adds all of a text.
  void WriteText(const std::string& text) const;

  /// Where other processes find it, which may write into it until Finish or its like. For those on
  /// other machines it has a temporary name from then on, which stays when this process is killed.
  FileOnDisk ForOthers(bool onThisMachine);

  void Finish();

  /// Has PutInPlaceOf name the file there for a moment, and not in its own folder, whose owner may
  /// be removing that with all that is in it. Beside it as usual where the two folders are not of
  /// one file system.
  void PassBy(const std::string& name) { this->Passing = name; }

  /// By what it will be known, if nothing more is written.
  FileMark Mark() const;

  /// Returns the FileIdentity that it will have at that path.
  std::string IdentityAt(const std::string& path) const;

  /// \name In place of Finish: a path in the same folder, if it is still what the caller knows
  /// False where it is not; then that can be tried again, also with another path.
  ///@{
  /// The path of that open file, which gives its owner, group, mode and list, and goes.
  bool PutInPlaceOf(int file, const std::string& path);
  /// The path of nothing.
  bool PutAsNew(const std::string& path);
  ///@}

private:
  bool LinkAs(const std::string& path) const;
  void Name(const std::string& passing = {});
  void Allow(const FileAccess& access) const;
  bool Put();
  bool Exchange(int file, const std::string& path) const;
  [[noreturn]] void Fail() const;

  const std::string Path;
  std::string Temporary;
  std::string Passing;
  const std::optional<FileAccess> Access;
  int Descriptor;
  bool Nameless;
  bool Finished = false;
};

}
