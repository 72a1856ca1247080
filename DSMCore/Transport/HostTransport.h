// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Fields.h"
#include "Mpi/RankGroup.h"
#include "Protocol/Descriptions.h"
#include "Transport/Transport.h"
#include "Transport/TransportMediator.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dsm
{

/// What a host lends, for the transports that lend it.
struct LentSegment
{
  const RankGroup& Hosts;    ///< all hosts of the server, in the order of their numbers
  std::byte* Data = nullptr; ///< stays where it is as long as the transports live
  std::uint64_t Size = 0;
  std::uint64_t Disk = 0; ///< of these bytes, the last: they may be on disk (Segment::FollowDisk)
  std::string Name;       ///< by which processes of this node map it
  std::vector<std::string> Nodes; ///< of every host: equal ones share memory
  bool Pinned = false;            ///< all pages exist, and stay
  std::string WhySparse;          ///< where a transport would have them stay, and they do not
};

/// A transport's hosts' side, on every host: lends the host's memory to peers that come this way,
/// tells them how, and makes progress where the library needs the target for that.
///
/// Made by TransportKind::Lend, which is collective over the hosts, as are Open and Free.
class HostTransport
{
public:
  virtual ~HostTransport() = default;

  /// Opens what a choice asks for and is not open yet; what is open stays so. Throws
  /// Error(Unsupported) where that is not possible any more, or not at all.
  virtual void Open(const TransportChoice& choice) = 0;

  /// How peers reach this host by what is open, by preference.
  virtual std::vector<TransportOffer> Offers() const = 0;

  /// What is open and how it makes progress, for people: a line each.
  virtual std::vector<std::string> Describe() const = 0;

  /// \name Talk with the peers' side, over the control channel
  /// For transports whose two sides must agree before bytes move. A host speaks to the mediator on
  /// host rank 0, which speaks to peers and hosts.
  ///@{
  /// On host rank 0: null where nothing needs to be said.
  virtual std::unique_ptr<TransportMediator> MakeMediator() { return nullptr; }
  /// How to speak to the mediator; until this object ends.
  virtual void Start(std::function<void(Bytes)>&& /*tell*/) {}
  /// What the mediator says. In the channel's thread: must not block.
  virtual void Receive(const Bytes& /*message*/) {}
  ///@}

  /// From now on there is a disk behind what is for it, as Segment::MakeDisk has made it: for
  /// transports that map the segment themselves. In a thread of the host's; throws as
  /// Segment::FollowDisk does.
  virtual void FollowDisk(int /*descriptor*/) {}

  /// \name Progress by the host's program, where no thread of ours may make it
  ///@{
  virtual bool NeedsPump() const { return false; }
  /// True when bytes move, so that the next call should come soon.
  virtual bool Pump() { return false; }
  ///@}

  /// The transports by which hosts that share no memory reach each other.
  virtual std::vector<std::shared_ptr<Transport>> OwnTransports() { return {}; }

  /// Ends the talk and the threads. Not collective. False when a thread is held in a call that will
  /// not return: then this object must live on.
  virtual bool End() { return true; }

  /// After End: gives back what the hosts share.
  virtual void Free() {}
};

}
