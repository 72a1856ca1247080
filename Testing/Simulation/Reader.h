// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Process.h"
#include "Protocol/GuestMessages.h"
#include "Protocol/SnapshotMessages.h"

#include <cstdint>
#include <functional>
#include <map>
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
  void Map();
  void Look(std::uint64_t number);
  void LetGo(std::uint64_t number);
  void Receive(const Envelope& event) override;
  void Take();
  void Invite();
  void Withdraw();
  void Steer();
  void TryToWrite();
  void Opened(const LeasedSnapshot& leased);
  void Read(
    const SnapshotDescription& snapshot, std::uint64_t tries, const std::function<void()>& next);
  std::string AnyFile();

  /// A snapshot whose memory this process maps, and the place that keeps it.
  struct Mapping
  {
    SnapshotDescription Snapshot;
    std::uint64_t Place = 0;
    bool IsWanted = false; ///< the server has asked for it
  };

  const Kind What;
  const std::uint64_t Writers;
  SnapshotId LastTaken = 0;
  SnapshotId LastAwaited = 0;
  std::uint64_t LastHold = HoldSnapshots::FirstLease;
  std::map<std::uint64_t, Mapping> Mappings; ///< by the numbers of the places
};

}
