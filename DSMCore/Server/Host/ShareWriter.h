// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/HostMessages.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace dsm
{

/// On a host: writes what it has of snapshots into files, from where it is in its memory, one
/// share after the other. A thread of low priority does it, so neither a simulation nor what the
/// host does for one waits for a disk. Thread safe.
class ShareWriter
{
public:
  /// Called now and then while a share is written, and when it is done; in the writer's thread.
  using Report = std::function<void(const ShareWritten&)>;

  /// `memory`: the host's segment, with slots of that size, as many. Where a disk hangs, the thread
  /// outlives this object, and does not look at the memory any more.
  ShareWriter(
    const std::byte* memory, std::uint64_t slotSize, std::uint64_t slotCount, Report report);

  /// As End.
  ~ShareWriter();
  ShareWriter(const ShareWriter&) = delete;
  ShareWriter& operator=(const ShareWriter&) = delete;

  void Add(WriteShare share);
  void Cancel(std::uint64_t ticket);

  /// Gives up what is not written, and reports nothing any more.
  void End();

private:
  class Implementation;
  std::shared_ptr<Implementation> Self;
};

}
