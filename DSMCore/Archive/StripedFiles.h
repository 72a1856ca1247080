// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Archive/NewFile.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace dsm
{

/// New files that together get the bytes of a snapshot, in stripes that go round (Mapping/Stripes).
/// Most often it is one. All throw as NewFile does.
class StripedFiles
{
public:
  /// In their order; they stay the caller's, who also gives them their names. `stripeSize`: bytes;
  /// of no meaning for one file.
  StripedFiles(std::vector<NewFile*> files, std::uint64_t stripeSize)
    : Files(std::move(files))
    , StripeSize(stripeSize)
  {
  }

  /// One file.
  StripedFiles(NewFile& file) // NOLINT(google-explicit-constructor): a file is files, too
    : Files{ &file }
  {
  }

  /// Makes room for `fileSize` bytes.
  void Reserve(std::uint64_t fileSize) const;

  /// Adds the bytes from an address on, which must follow those that were added before. `wrote` is
  /// told how many, as they go.
  void Write(FileOffset address, const std::byte* source, std::uint64_t size,
    std::uint64_t fileSize, const std::function<void(std::uint64_t)>& wrote = {}) const;

  /// For other processes to write into them.
  WriteShare ForOthers(bool onThisMachine) const;

private:
  std::vector<NewFile*> Files;
  std::uint64_t StripeSize = 0;
};

}
