// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/FilePolicy.h"
#include "Server/Core/CoreState.h"
#include "Server/Core/DiskBook.h"
#include "Server/Core/HostService.h"
#include "Server/Core/ImageManager.h"
#include "Server/Core/Messenger.h"
#include "Server/Core/PeerRegistry.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dsm
{

/// The settings of the running server: checks changes, and tells peers of them.
class SettingsService
{
public:
  /// The objects that the service uses; all must outlive it.
  struct Parts
  {
    CoreState& State;
    PeerRegistry& Peers;
    ImageManager& Images;
    HostService& Hosts;
    DiskBook& Disk;
    Messenger& Channel;
  };

  /// `lent`: bytes per host at Start. `diskRuleChanged` is called when another rule says which
  /// snapshots are written to disk.
  SettingsService(const Parts& parts, std::uint64_t lent, std::function<void()> diskRuleChanged);

  /// Returns the options that ImageManager needs.
  static ImageManager::Policy PolicyOf(
    const ServerOptions& options, const ServerDescription& description);

  /// Throws Error(Usage) if Adjust could not do that.
  void Check(const ServerOptions& options) const;
  /// Applies new settings. `description` says how the hosts can be reached then.
  void Adjust(const ServerOptions& options, const ServerDescription& description);
  /// Throws Error(Usage) for a map that is impossible.
  void SetMap(const Redistribution& map);
  void SetFilePolicy(const FilePolicy& filePolicy);
  void SetDiskRule(const std::string& rule);

  /// The file policy as peers are told it.
  FilePolicy ToldFilePolicy() const;
  /// Tells a peer what has changed since it was told last.
  void AnnounceServer(const PeerId& peer);

  /// An image has begun with the settings as they are.
  void NoteImageBegun() { this->Changes.clear(); }
  /// Settings that were changed and that no file has begun with yet.
  const std::vector<std::string>& Pending() const { return this->Changes; }

private:
  void AnnounceFilePolicy();
  void NoteChange(const char* what);
  void NoteChanges(const Redistribution& map);
  std::uint64_t BudgetFor(const ServerOptions& options) const;

  const Parts Part;
  const std::uint64_t LentAtStart;
  const std::function<void()> DiskRuleChanged;
  std::vector<std::string> Changes;
};

}
