// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Process.h"
#include "Protocol/GuestMessages.h"
#include "Protocol/SnapshotMessages.h"

#include <cstdint>
#include <functional>
#include <string>

namespace dsm::simulation
{

/// A program that reads snapshots: it opens, waits for, lists and holds them, and looks whether
/// they have the bytes that their writers wrote.
class Reader final : public Process
{
public:
  /// What a reader may do.
  enum class Kind
  {
    Reader, ///< opens files by name
    Viewer, ///< takes one snapshot after the other, and invites guests
    Guest   ///< may only look
  };

  Reader(World& world, std::uint64_t number, Kind kind, std::uint64_t writers);

  static std::string GuestKey(std::uint64_t number);

private:
  void Run() override;
  void Next();
  void OpenByName();
  void OpenByNumber();
  void OpenForRank();
  void Await();
  void Hold();
  void Enter();
  void Take();
  void Invite();
  void Withdraw();
  void Steer();
  void TryToWrite();
  void Opened(const LeasedSnapshot& leased);
  void Read(
    const SnapshotDescription& snapshot, std::uint64_t tries, const std::function<void()>& next);
  std::string AnyFile();

  const Kind What;
  const std::uint64_t Writers;
  SnapshotId LastTaken = 0;
  SnapshotId LastAwaited = 0;
  std::uint64_t LastHold = HoldSnapshots::FirstLease;
};

}
