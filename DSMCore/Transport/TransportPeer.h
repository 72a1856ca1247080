// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Encoding/Fields.h"
#include "Protocol/Descriptions.h"
#include "Transport/Transport.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dsm
{

class TransportPeer;

/// A peer's part in what several of its ranks have made together with the hosts.
class TransportMembership
{
public:
  virtual ~TransportMembership() = default;

  virtual const std::vector<std::shared_ptr<Transport>>& Transports() const = 0;

  /// Collective over the ranks that joined; gives up when they or the hosts do not come.
  virtual void Leave(TransportPeer& peer) noexcept = 0;
};

/// A process's link to a server, as transports see it.
class TransportPeer
{
public:
  virtual ~TransportPeer() = default;

  virtual std::shared_ptr<const ServerDescription> Server() const = 0;

  /// Asks the mediator of a transport and waits for its answer. Throws as Channel::Request.
  virtual Bytes AskTransport(const std::string& transport, Bytes message) = 0;

  /// Tells it something; never throws.
  virtual void TellTransport(const std::string& transport, Bytes message) noexcept = 0;

  /// Whether the server still answers. Takes a moment; never throws.
  virtual bool CheckAlive() noexcept = 0;

  /// The same as a function that may outlive this object; false then.
  virtual std::function<bool()> AliveCheck() = 0;

  /// True in a process that hosts the server: it was given its transports to the other hosts.
  virtual bool HasOwnTransports() const = 0;

  /// The last membership; null when there is none.
  virtual std::shared_ptr<TransportMembership> Membership() const = 0;
  virtual void SetMembership(std::shared_ptr<TransportMembership> membership) = 0;
};

}
