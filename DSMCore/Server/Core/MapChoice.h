// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/ImageState.h"

#include <cstdint>

namespace dsm
{

/// Chooses the address maps of new images.
class MapChoice
{
public:
  explicit MapChoice(const ImageState& state);

  /// A file that an image is to hold.
  struct File
  {
    std::uint64_t Size = 0;  ///< its likely bytes; 0: unknown
    bool MayOutgrow = false; ///< as BeginRequest has it
  };

  /// Makes the map that new settings lead to. Throws Error(Usage) if it is impossible.
  void SetRules(const Redistribution& rules);

  /// Returns the map of a new image. It is kept for requests that wait and try again. The reference
  /// is valid until the next call.
  const AddressMap& For(const File& file);

  /// Whether a new image of a snapshot's file would get the snapshot's map. Settings may have
  /// changed, and automatic ones follow from the file's size. So does the window of a mask, which
  /// may be too small by half.
  bool StillFits(const SnapshotDescription& snapshot, bool mayOutgrow) const;

private:
  std::uint64_t HostCapacity(bool mayOutgrow) const;
  MapParameters ParametersFor(const File& file) const;

  const ImageState& State;
  AddressMap Current; ///< the last map that was made
};

}
