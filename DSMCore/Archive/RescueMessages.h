// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Protocol/Descriptions.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What a server and its rescuer tell each other over their socket, a message in each packet.
namespace dsm
{

namespace rescue
{
/// No packet is larger; the system's limit for a socket's is about a fifth of it.
constexpr std::size_t LargestPacket = 1 << 20;
}

/// The first: whose memory it is.
struct RescueServer
{
  static constexpr const char* Name = "server";

  ServerDescription Server;
  std::string Contact; ///< its path
  std::string Folder;  ///< where snapshots are saved
};

/// A snapshot is there.
struct RescueSnapshot
{
  static constexpr const char* Name = "snapshot";

  SnapshotDescription Snapshot;
};

/// It is on disk, or nobody wants it.
struct SnapshotSaved
{
  static constexpr const char* Name = "saved";

  std::uint64_t Number = 0;
};

/// The server ends, and takes no more snapshots.
struct EndRescue
{
  static constexpr const char* Name = "end";
};

/// The rescuer's only message, the answer to the one before.
struct RescueEnded
{
  static constexpr const char* Name = "ended";

  std::vector<std::uint64_t> Unsaved; ///< numbers of snapshots that it could not save either
  bool GoesOn = false; ///< it tries again, for a while: the server ends since it has lost a host
};

void Describe(Fields&, RescueServer&);
void Describe(Fields&, RescueSnapshot&);
void Describe(Fields&, SnapshotSaved&);
void Describe(Fields&, EndRescue&);
void Describe(Fields&, RescueEnded&);

}
