// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"
#include "Mapping/AddressMap.h"
#include "Memory/MappedEntry.h"

#include <cstdint>
#include <string>

namespace dsm
{

/// Numbers in host 0's memory by which the core and the ranks of an image notify each other without
/// a message. Each number belongs to a slot in one generation.
class SlotSignals
{
public:
  virtual ~SlotSignals() = default;

  /// Decides that the image in a slot is sealed. Returns false if its writer has given it up
  /// before.
  virtual bool DecideSealed(SlotIndex slot, std::uint64_t generation) = 0;

  /// Decides that the writer of the image in a slot is lost. Returns false if the image has ended
  /// before.
  virtual bool Disown(SlotIndex slot, std::uint64_t generation) = 0;

  /// Returns true if ranks changed the image after they had lost the server.
  virtual bool WentAlone(SlotIndex slot, std::uint64_t generation) const = 0;

  /// From now on nobody takes a slot for what it was in an earlier generation.
  virtual void RaiseGeneration(SlotIndex slot, std::uint64_t generation) = 0;

  /// \name What ranks report of the image, in bytes; 0 if they have reported nothing
  ///@{
  virtual std::uint64_t Wanted(SlotIndex slot, std::uint64_t generation) const = 0;
  virtual std::uint64_t Reached(SlotIndex slot, std::uint64_t generation) const = 0;
  /// The size of the file at its last flush.
  virtual std::uint64_t Flushed(SlotIndex slot, std::uint64_t generation) const = 0;
  ///@}

  /// \name Readers that begin without a message (ReaderGate)
  ///@{
  /// From now on, each reader asks first.
  virtual void CloseToReaders() = 0;
  virtual void OpenToReaders() = 0;
  /// Returns true if somebody reads in a slot and has not said so yet. While the gate is closed,
  /// a slot without readers stays so.
  virtual bool HasReaders(SlotIndex slot) const = 0;
  /// One of them has said so.
  virtual void NoteReader(SlotIndex slot) = 0;
  /// A slot has not the newest version of its file any more: each reader asks first, until its
  /// generation is raised.
  virtual void CloseSlot(SlotIndex slot) = 0;
  ///@}

  /// Returns the place of a snapshot that a viewer maps (MapSnapshot).
  virtual MappedEntry Mapped(std::uint64_t place) const = 0;

  /// Ranks may write so many bytes, and those of the share are on disk.
  virtual void TellGrant(SlotIndex slot, std::uint64_t bytes, const DiskShare& disk) = 0;

  /// So many bytes, or more, are refused. What is wanted is forgotten, since others may want less.
  /// The log names `file` if the text is too long for the memory.
  virtual void TellRefusal(SlotIndex slot, std::uint64_t generation, std::uint64_t bytes,
    const Error& why, const std::string& file) = 0;

  /// The server is alive.
  virtual void Beat() = 0;

  /// Notes that viewers may hear of something new.
  virtual void CountAnnouncement() = 0;
};

}
