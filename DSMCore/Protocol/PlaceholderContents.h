// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/FileMark.h"
#include "Protocol/Descriptions.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dsm
{

class Fields;

/// Where the bytes of a file are whose name is on disk.
struct PlaceholderAddress
{
  std::string Contact;                ///< path of the server's contact file, as the writer knows it
  std::string Server;                 ///< the server's public key: others may come under that path
  SnapshotId Number = 0;              ///< of the snapshot; 0 while there is none
  std::optional<SlotAddress> Place{}; ///< of its bytes, where they stay there: saves asking for it
  /// While there is none: which image will be one, and the snapshot of the same server whose
  /// placeholder it was before.
  std::optional<ImageId> Image{};
  std::optional<SnapshotId> Before{};
  /// Where the bytes are that a writer changes now, if others may read them meanwhile (HDF5's
  /// SWMR).
  std::optional<SlotAddress> Live{};

  /// The same snapshot, or none yet, of the same server.
  bool IsThatOf(const PlaceholderAddress& other) const
  {
    return this->Server == other.Server && this->Number == other.Number;
  }
  bool operator==(const PlaceholderAddress&) const = default;
};

void Describe(Fields&, PlaceholderAddress&);

/// What became of them.
enum class PlaceholderState
{
  InMemory,
  Dropped,     ///< the snapshot has left the ring
  ServerEnded, ///< and the snapshot with it
  Unfinished   ///< the writer ended before there was a snapshot
};

/// What a placeholder says: a small HDF5 file with two texts in it, each of which has its room in
/// the file, ends with a zero and begins with a mark by which it is found there. One tells a person
/// what the file is and what became of it, and by its words also this library. The other is the
/// address. The writer puts both there (Driver/Placeholder); the server, who may know more when no
/// writer is left, puts another text in the first one's place.
struct PlaceholderContents
{
  PlaceholderAddress Address;
  PlaceholderState State = PlaceholderState::InMemory;
  std::size_t TextBegin = 0;    ///< where in the file the text for a person begins
  std::size_t AddressBegin = 0; ///< and where the address
  std::string Identity{};       ///< of the file that says it (FileIdentity), if Read has read it

  /// All that a placeholder says is in so many bytes at the file's beginning.
  static constexpr std::size_t LongestFile = 16 << 10;

  /// The room of each text. A path has 4096 bytes at most, and JSON escapes few of them.
  static constexpr std::size_t TextRoom = 512;
  static constexpr std::size_t AddressRoom = 6 << 10;

  /// The texts with their marks, filled up with zeros. Throws Error(Refused) where an address is
  /// too long.
  static std::string Text(PlaceholderState state);
  static std::string AddressText(const PlaceholderAddress& address);

  /// What the beginning of a file says; none when it is no placeholder. Throws Error(Refused) for
  /// one of another version.
  static std::optional<PlaceholderContents> Parse(std::string_view bytes, const std::string& path);

  /// The same of an open file.
  static std::optional<PlaceholderContents> Read(int file, const std::string& path);

  /// The same of an open file whose mark is known already.
  static std::optional<PlaceholderContents> Read(
    int file, const FileMark& mark, const std::string& path);

  /// Returns whether the same file says that it is in the same state. A file that says the same may
  /// be another one: all that programs have just created say that there is no snapshot yet.
  bool IsOfSameState(const PlaceholderContents& other) const;

  bool operator==(const PlaceholderContents&) const = default;
};

/// What became of a file that is not in memory any more, as the end of a sentence that begins with
/// its name: "has left the memory …".
const char* PlaceholderEnd(PlaceholderState state);

}
