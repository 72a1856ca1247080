// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Transport/HostTransport.h"
#include "Transport/Transport.h"
#include "Transport/TransportPeer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dsm
{

class Communicator;

/// What a process knows when it looks for its way to some hosts.
struct Reaching
{
  const ServerDescription& Server;
  /// Those to be reached by the transport asked for, all at once.
  std::vector<HostIndex> Hosts;
  /// What this process's ranks have joined with the hosts before (TransportKind::Join).
  const std::vector<std::shared_ptr<Transport>>& Joined;
};

/// Why a transport would have all pages of what hosts lend stay where they are.
struct PinningNeed
{
  std::string Why;       ///< for people, a sentence; empty: it would not
  bool Required = false; ///< else there is another way, which automatic then takes
};

/// A transport: its name, its hosts' side and its peers' side. Each stands in a folder of its own,
/// which defines
///
///     const TransportKind& FOLDERTransport();
///
/// and is named in DSM_TRANSPORTS in this component's CMakeLists.txt: that makes it known
/// everywhere. Without state, thread safe.
class TransportKind
{
public:
  virtual ~TransportKind() = default;

  /// "mpi": names its messages.
  virtual std::string Name() const = 0;

  /// What people choose it by: "mpi-rma", "mpi-messages".
  virtual std::vector<std::string> Choices() const = 0;

  /// A sentence for people that follows the choice.
  virtual std::string Text() const = 0;

  /// What a choice may name behind a slash (fabric/PROVIDER), for people; empty: nothing.
  virtual std::string Variants() const { return {}; }

  /// Some of these, for menus: "fabric/tcp" is one of libfabric's.
  virtual std::vector<std::string> VariantExamples() const { return {}; }

  /// True when it reaches hosts on the process's own node only.
  virtual bool IsNodeLocal() const { return false; }

  /// Whether a name in a TransportChoice means this transport.
  bool IsMeant(const std::string& name) const;

  /// Why what a choice asks for would need the hosts' program to call Server::Pump in this process,
  /// and what to do about it; empty where it would not.
  virtual std::string NeedsPump(const TransportChoice& /*choice*/) const { return {}; }

  /// What a choice asks for on this machine.
  virtual PinningNeed NeedsPinned(const TransportChoice& /*choice*/) const { return {}; }

  /// The hosts' side, with what the choice asks for open. Collective over the hosts.
  virtual std::unique_ptr<HostTransport> Lend(
    const LentSegment& segment, const TransportChoice& choice) const = 0;

  /// The peers' side: a transport that reaches these hosts. `name` is a choice that means this
  /// kind, or "automatic". Throws Error(Unsupported) that says why it reaches them not, or not all.
  virtual std::shared_ptr<Transport> Reach(
    const Reaching& reaching, const std::string& name) const = 0;

  /// Whether this process must Join before it can reach all hosts. Not collective.
  virtual bool MustJoin(const TransportPeer& /*peer*/) const { return false; }

  /// Collective over a peer's ranks, before Reach, for transports whose ranks must come to the
  /// hosts together: where one must, all come. Throws the same on all.
  virtual void Join(const Communicator& /*ranks*/, TransportPeer& /*peer*/) const {}
};

/// All there are, in the order of preference.
const std::vector<const TransportKind*>& TransportKinds();

/// The one that a name in a TransportChoice means; null for "automatic" and unknown names.
const TransportKind* FindTransportKind(const std::string& name);

/// Whether JoinHosts has something to do for this process. Not collective.
bool MustJoinHosts(const TransportPeer& peer);

/// The same of all there are: the first that would need it.
std::string NeedsPump(const TransportChoice& choice);

/// What a choice needs of all there are: the first that requires it, else the first that would have
/// it.
PinningNeed NeedsPinned(const TransportChoice& choice);

/// Collective over a peer's ranks: lets those transports join the hosts that need to. `peer` is
/// each rank's own; rank 0's talks to the server. Throws the same on all ranks.
void JoinHosts(const Communicator& ranks, TransportPeer& peer);

}
