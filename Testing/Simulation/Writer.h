// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Process.h"
#include "Protocol/ImageMessages.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dsm::simulation
{

/// A simulation that writes files, by one rank or by many. It writes as the driver does: it asks
/// for room before it writes behind its grant, and before it changes bytes that snapshots share.
class Writer final : public Process
{
public:
  /// Who a writer is.
  struct Place
  {
    std::uint64_t Number = 0;
    std::uint64_t Ranks = 1;
    std::uint64_t JobProcesses =
      1; ///< each with a writer of its own, unless it is one of the ranks
  };

  /// It writes so many files.
  Writer(World& world, const Place& place, std::uint64_t files);

  /// The names that writers use.
  static std::string FileName(std::uint64_t writer, std::uint64_t file);
  static constexpr std::uint64_t FilesOfEach = 3;

private:
  using Next = std::function<void()>;

  void Run() override;
  void NextFile();
  void Begin(SnapshotId source);
  void Granted(const ImageGranted& granted);
  void CopyFrom(const LeasedSnapshot& source);
  void Continue();
  void WriteSome();
  void WritePage(std::uint64_t page, const Next& next);
  void EnsureGrant(std::uint64_t bytes, const Next& next);
  void AwaitGrant(std::uint64_t bytes, double until, const Next& next);
  void EnsureKept(std::uint64_t page, const Next& next);
  void Flush();
  void Confirm(std::uint64_t copy);
  void End();
  void Seal();
  void Finish();
  void Discard(const std::string& why);
  void EndFile();
  Failure GiveUpFile();
  std::uint64_t Size() const { return this->Content.size() * HostMemory::Page; }

  const std::uint64_t Number;
  const std::uint64_t Ranks;
  std::uint64_t FilesLeft;
  std::map<std::string, SnapshotId> LastSnapshots; ///< of its files
  // Of the file that it writes.
  std::uint64_t FileNumber = 0; ///< counts files, to tell late answers
  std::string File;
  std::optional<ImageDescription> Image;
  AddressMap Map;
  HostMemory::Contents Content;
  std::set<std::uint64_t> Frozen;  ///< pages that snapshots may share
  std::set<std::uint64_t> Changed; ///< pages since the last flush
  std::uint64_t Grant = 0;
  std::uint64_t Rounds = 0;
  bool IsShown = false; ///< a snapshot shows all there is
};

}
