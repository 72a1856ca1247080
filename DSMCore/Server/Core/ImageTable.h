// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/FileAccess.h"
#include "Mapping/AddressMap.h"
#include "Server/Core/StreamBook.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// An image that is being written.
struct OpenImage
{
  std::string Owner{};   ///< who writes it, as the caller named it
  std::uint64_t Key = 0; ///< a secret that its writers share
  std::string FileName{};
  AddressMap Map{};
  SlotIndex Slot = 0;
  std::uint64_t Generation = 0;     ///< of the slot
  std::uint64_t Grant = 0;          ///< file bytes that may be written, once they are reserved
  std::uint64_t Reserved = 0;       ///< file bytes whose memory the hosts have reserved
  bool ReportedUnpublished = false; ///< it was logged that a flush could not be published
  SnapshotId Source = 0;            ///< the snapshot that it began as; 0: none
  StreamBook::Place Place{};
  std::string Program{};              ///< that writes it
  std::string Machine{};              ///< where that program runs
  bool Named = false;                 ///< as SnapshotDescription has it
  SnapshotId Family = 0;              ///< likewise; 0: its own
  std::optional<FileAccess> Access{}; ///< as SnapshotDescription has it
  std::vector<std::uint64_t> Stale{}; ///< as ImageDescription has it
  bool Foreseen = false;              ///< likewise
  bool IsInPlace = false;             ///< it has its source's slot, whose bytes it shares
  std::uint64_t Begins = 0;           ///< bytes of its source
  std::uint64_t FlushedBytes = 0;     ///< bytes that its flushes have published, repeats included
  SnapshotId Shown = 0;               ///< its last snapshot, which may be its source; 0: none
  std::uint64_t FlushedSize = 0;      ///< of the file, as NoteFlush has it; 0: not flushed
  std::uint64_t GrowthTarget = 0;     ///< file bytes up to which it is extended without a request
  bool WriterWaits = true;            ///< its writer asked for that, and may wait for it
  bool MayOutgrow = false;            ///< what memory has no room for goes to the hosts' disks
};

/// A table of the images that are being written.
class ImageTable
{
public:
  /// Enters an image. Returns its number.
  ImageId Add(OpenImage image);

  /// Returns an image. Throws Error(PeerLost), with the reason that is known, if there is none.
  const OpenImage& At(ImageId number) const;
  OpenImage& At(ImageId number);

  /// Returns an image; null if there is none.
  const OpenImage* Find(ImageId number) const;
  OpenImage* Find(ImageId number);

  const std::map<ImageId, OpenImage>& All() const;
  std::vector<ImageId> OwnedBy(const std::string& owner) const;

  /// Removes an image. Throws as At does.
  OpenImage Take(ImageId number);

  /// Removes an image that was lost. Remembers why, for later requests of its writers.
  OpenImage TakeLost(ImageId number, const std::string& why);

  /// Throws Error(Refused) if somebody else writes the image.
  void RequireOwner(ImageId number, const std::string& owner) const;
  void RequireKey(ImageId number, std::uint64_t key) const;

  /// Throws Error(Refused) if the image's address map ends before that size.
  void RequireCapacity(ImageId number, std::uint64_t size) const;

private:
  std::map<ImageId, OpenImage> Images;
  std::map<ImageId, std::string> LossReasons; ///< of the last images that were lost
  ImageId LastNumber = 0;
};

}
