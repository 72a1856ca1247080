// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/Envelope.h"
#include "Protocol/Descriptions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a server and its rescuer tell each other over their socket, a message in each packet.
namespace dsm
{

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

  SnapshotId Number = 0;
  bool OnDisk = false; ///< else nobody wants it
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

  std::vector<SnapshotId> Unsaved; ///< numbers of snapshots that it could not save either
  bool GoesOn = false; ///< it tries again, for a while: the server ends since it has lost a host
};

void Describe(Fields&, RescueServer&);
void Describe(Fields&, RescueSnapshot&);
void Describe(Fields&, SnapshotSaved&);
void Describe(Fields&, EndRescue&);
void Describe(Fields&, RescueEnded&);

namespace rescue
{

/// A message as it travels.
template <typename Message>
Bytes Packet(const Message& message)
{
  Envelope envelope;
  envelope.Name = Message::Name;
  envelope.Body = Encode(message);
  return EncodeEnvelope(envelope);
}

/// Waits for the next packet of a socket (SOCK_SEQPACKET); none when the other side is gone.
std::optional<Envelope> Receive(int socket);

}

}
