// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/Descriptions.h"
#include "Transport/SharedMemory/SharedMemory.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace dsm
{

struct SnapshotSaved;

/// What the program dsm-rescue does: it maps the memory of a server's hosts, and saves the
/// snapshots that the server has not saved when it is killed. See RescueLink.
class Rescuer
{
public:
  /// `socket`: an open file, connected to the server.
  explicit Rescuer(int socket);

  /// Returns when there is nothing left to do. What it has to say is in a log beside the contact
  /// file, also why it throws an Error.
  void Run();

private:
  void Serve();
  void Map(const std::string& contact, ServerDescription server);
  void Enter(SnapshotDescription snapshot);
  void Drop(const SnapshotSaved& saved);
  bool HasLostHost() const;
  void SaveAtEnd();
  void SaveAfterKill();
  void OpenLog() const;

  bool Undertake(const SnapshotDescription& snapshot) const;
  bool IsThere(const SnapshotDescription& snapshot) const;
  void Write(const SnapshotDescription& snapshot, const std::string& path) const;
  std::string Save(const SnapshotDescription& snapshot);

  const int Socket;
  std::string Contact;
  std::string Folder;
  ServerDescription Server;
  std::shared_ptr<SharedMemory> Memory;
  std::map<SnapshotId, SnapshotDescription> Unsaved; ///< by their numbers
  std::map<std::string, SnapshotId> Saved;           ///< which snapshot, by the files
  SnapshotId Newest = 0;                             ///< the highest number
};

}
