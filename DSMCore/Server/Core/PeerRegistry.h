// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Control/RequestId.h"
#include "Protocol/Descriptions.h"
#include "Protocol/GuestMessages.h"
#include "Server/Core/CoreState.h"
#include "Steering/RunOrigin.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// The role of a peer. Each has a name in PeerDescription::Role.
enum class PeerRole
{
  Writer,   ///< a simulation that writes files
  Steering, ///< a simulation that is steered
  Viewer,   ///< reads snapshots
  Archive,  ///< brings files back
  Other     ///< hosts, and what a later release may add
};

PeerRole PeerRoleOf(const PeerDescription& peer);

/// Identifies a job: the same for all its processes.
std::string IdentityOf(const PeerDescription& peer);

/// A connected peer.
struct Peer
{
  PeerDescription Process;
  std::string Guest;               ///< whose invitation it came with; empty: the owner's
  std::optional<HostIndex> Host;   ///< the host that it is the agent of
  double Since = 0;                ///< seconds since 1970
  std::uint64_t KnownRevision = 0; ///< the revision of the settings that it knows
  bool Attached = false;           ///< it takes care of the server, from outside
  bool Watching = false;           ///< it shows what the server has, from outside
  Seconds AllocationTimeout{ 0 };  ///< how long it is ready to wait for memory
  /// The last snapshot that it has opened before it wrote anything.
  std::optional<RunOrigin> Opened;
  bool HasRead = false;            ///< a snapshot that it has awaited was there
  std::uint64_t WritersBefore = 0; ///< how many writers had come before it, itself included

  PeerRole Role() const { return PeerRoleOf(this->Process); }
  bool IsSimulation() const
  {
    return this->Role() == PeerRole::Writer || this->Role() == PeerRole::Steering;
  }
};

/// The connected peers.
class PeerRegistry
{
public:
  /// `state` must outlive this.
  explicit PeerRegistry(const CoreState& state)
    : State(state)
  {
  }

  const std::map<PeerId, Peer>& All() const { return this->Peers; }
  bool Has(const PeerId& id) const { return this->Peers.contains(id); }

  /// Null if the peer is not connected.
  Peer* Find(const PeerId& id);

  /// Throws Error(PeerLost) if the peer is not connected, which means that the server gave it up.
  Peer& Known(const PeerId& id);

  /// The peer that speaks for a rank. Throws Error(Unsupported) if there is none.
  Peer& Speaking(const PeerId& id);

  /// Adds a peer, or replaces what was known of it.
  void Enter(const PeerId& id, Peer peer);

  /// None if the peer is not connected.
  std::optional<Peer> Remove(const PeerId& id);

  /// A peer that only read so far has begun a file.
  void BecomeWriter(Peer& peer);

  /// Returns true if the operating system says that the peer's process has ended. Of a job of
  /// several processes: the one that speaks for them.
  bool HasEnded(const Peer& peer) const;
  /// Returns true also if the peer is not connected any more.
  bool HasEnded(const PeerId& id) const;

  bool HasSimulations() const;
  /// Returns true if a simulation of that identity is connected and has not ended.
  bool IsWriting(const std::string& identity) const;
  /// All but the hosts, by the time they came.
  std::vector<ConnectedPeer> Connected() const;

  std::uint64_t WritersSeen() const { return this->Writers; }
  /// The last simulation vanished, and none has come since.
  bool LostLastSimulation() const { return this->LostLast; }
  /// Returns true if that was not so before. A simulation with two channels vanishes once.
  bool NoteLostSimulation();

private:
  const CoreState& State;
  std::map<PeerId, Peer> Peers;
  std::uint64_t Writers = 0; ///< that came, since Start
  bool LostLast = false;
};

}
